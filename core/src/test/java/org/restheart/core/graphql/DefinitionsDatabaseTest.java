package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.filter.ErrorMapping;
import org.restheart.core.filter.Pipeline;
import org.restheart.core.routing.Binding;
import org.restheart.core.routing.Router;
import org.restheart.core.server.ServerSettings;
import org.restheart.core.server.UndertowListener;
import org.restheart.graphql.GraphqlConfig;
import org.restheart.graphql.GraphqlService;
import org.restheart.graphql.SourceAccess;
import org.restheart.http.Filter;
import org.restheart.http.Guard;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Response;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.CollectionChanges;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.rest.MongoService;
import org.restheart.rest.changestream.ChangeStreams;
import org.restheart.rest.changestream.Reauthorization;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A step before the service names the database of definitions, for each tenant its own: services with the same
/// names are kept apart, and so are those that guard the writes.
@WithMongo
class DefinitionsDatabaseTest {
    private static final BackgroundTasks TASKS = new BackgroundTasks();

    private static TestMongo mongo;
    private static String usual;
    private static String other;
    private static UndertowListener listener;
    private static GraphqlService apps;
    private static MongoService data;

    @BeforeAll
    static void start(TestMongo deployment) {
        mongo = deployment;
        usual = mongo.newDatabaseName();
        other = mongo.newDatabaseName();
        var config = GatewayConfig.parse("""
            http-listener: {host: 127.0.0.1, port: 0}
            core: {error-bodies: MINIMAL}
            mclient: {connection-string: '%s'}
            mongo: {mongo-mounts: [{what: '*', where: /}]}
            graphql: {db: %s, collection: gql-apps, app-cache-ttr: 600000, restrict-mapping-db: true}
            """.formatted(mongo.connectionString(), usual));
        var settings = config.mongo().orElseThrow();
        var registry = new SimpleMeterRegistry();
        var streams = new ChangeStreams(TASKS, mongo.client(), settings.streams(), registry, Reauthorization.ALWAYS);
        data = new MongoService(TASKS, settings, mongo.client(), registry);
        apps = new GraphqlService(
                (GraphqlConfig) config.modules().get("graphql"),
                changed -> new CollectionChanges(TASKS, mongo.client(), "gql-apps", "GraphQL apps", changed),
                data.reads(),
                new MemoryBudget(64 << 20),
                new SourceAccess(data::pathOf, (_, _) -> Response.status(204), Map.of(), Set.of()),
                new GraphqlService.PushBounds(
                        settings.streams().keepAlive(),
                        settings.streams().maxListeners(),
                        settings.streams().maxWaitingMessages(),
                        settings.streams().maxWaitingBytes(),
                        streams.budget(),
                        streams.authorizations()),
                (_, _, _, _, _) -> {});
        Filter tenants = (request, next) -> next.handle(request.headers()
                .first("X-Tenant")
                .map(db -> request.with(GraphqlService.DEFINITIONS_DATABASE, db))
                .orElse(request));
        var pipeline = new Pipeline(
                Pipeline.Settings.of(config),
                new ErrorMapping(MongoErrors::toProblem),
                _ -> (request, next) -> next.handle(request),
                _ -> (request, next) -> next.handle(request),
                Optional.empty());
        var router = new Router(List.of(
                pipeline.assemble(
                        Binding.prefix(data, "/", false).behind(List.of(tenants, Guard.all(List.of(apps.guard()))))),
                pipeline.assemble(Binding.prefix(apps, "/graphql", false).behind(List.of(tenants)))));
        listener = UndertowListener.start(ServerSettings.of(config), router, _ -> {}, Optional.empty());
        for (var db : new String[] {usual, other}) {
            var database = mongo.client().getDatabase(db);
            database.createCollection("gql-apps");
            database.getCollection("c").insertOne(new Document("_id", 1).append("of", db));
        }
    }

    @AfterAll
    static void stop() throws Exception {
        listener.stop(java.time.Duration.ZERO);
        apps.close();
        data.close();
        TASKS.close();
    }

    private static TestClient client(String tenant) {
        var client = TestClient.of(listener.address()).with("Content-Type", "application/json");
        return tenant.isEmpty() ? client : client.with("X-Tenant", tenant);
    }

    private static HttpResponse<String> define(String tenant, String db, String mapped, String app) {
        return client(tenant).put("/" + db + "/gql-apps/" + app + "?wm=upsert", """
            {"schema": "type Doc { of: String } type Query { doc(id: Int): Doc docs: [Doc] }", "mappings": {"Query": {
               "doc": {"db": "$db", "collection": "c", "find": {"_id": {"$arg": ["id", 1]}}},
               "docs": {"db": "$db", "collection": "c"}}}}
            """.replace("$db", mapped));
    }

    private static HttpResponse<String> ask(String tenant, String app, String query) {
        return client(tenant).post("/graphql/" + app, "{\"query\": \"" + query + "\"}");
    }

    @Test
    void apps_of_tenants_are_those_of_their_databases() {
        assertStatus(201, define("", usual, usual, "app"));
        assertStatus(404, ask(other, "app", "{docs{of}}"));
        assertStatus(201, define(other, other, other, "app"));
        for (int i = 0; i < 3; i++) {
            for (var query : new String[] {"{docs{of}}", "{doc{of}}"}) {
                assertThat(ask("", "app", query).body()).contains(usual).doesNotContain(other);
                assertThat(ask(other, "app", query).body()).contains(other).doesNotContain(usual);
            }
        }
        assertStatus(204, client(other).send("DELETE", "/" + other + "/gql-apps/app", ""));
        assertStatus(404, ask(other, "app", "{doc{of}}"));
        assertStatus(200, ask("", "app", "{doc{of}}"));
    }

    @Test
    void definitions_of_tenants_are_checked_as_the_usual_ones() {
        assertThat(define(other, other, usual, "stranger").body()).contains("only " + other + " is allowed");
        assertThat(client(other)
                        .put("/" + other + "/gql-apps/bad?wm=upsert", "{\"schema\": \"nonsense\"}")
                        .body())
                .contains("Wrong GraphQL App definition");
        assertStatus(501, client(other).patch("/" + other + "/gql-apps/*?filter=%7B%7D", "{\"schema\": \"x\"}"));
    }
}
