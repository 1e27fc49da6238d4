package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.restheart.core.mcp.McpClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Reads by id of different services leave in common commands.
@WithMongo
class ReadsTogetherTest {
    private static final int READS = 150;
    private static final int ROUNDS = 20;

    @Test
    void reads_by_id_share_commands_whichever_service_they_come_by(TestMongo mongo) throws Exception {
        try (var gateway = TestGateway.start(mongo, """
                dataApi: {enabled: true}
                mcp: {enabled: true, calls-per-minute: 100000, concurrent-calls: 100}
                graphql: {enabled: true, uri: /graphql, db: $db, collection: gql-apps}
                """)) {
            var db = gateway.database().getName();
            gateway.insert("gql-apps", """
                    {_id: 'docs', schema: 'type Doc { _id: String } type Query { doc(id: String): Doc }', mappings:
                      {Query: {doc: {db: '%s', collection: 'c', find: {_id: {_$arg: 'id'}}}}}}
                    """.formatted(db));
            for (var service : List.of("rest", "data", "mcp", "graphql")) {
                for (int i = 0; i < READS; i++) {
                    gateway.insert("c", "{_id: '%s-%d'}".formatted(service, i));
                }
            }
            var admin = gateway.as("admin");
            var tools = new McpClient(admin);
            var namespace = "\"database\": \"" + db + "\", \"collection\": \"c\", \"filter\": {\"_id\": \"%s\"}";
            var services = List.<Function<String, String>>of(
                    id -> admin.get("/c/" + id).body(),
                    id -> admin.post(
                                    "/app/x/endpoint/data/v1/action/findOne",
                                    ("{\"dataSource\": \"x\", " + namespace + "}").formatted(id))
                            .body(),
                    id -> tools.call("find", ("{" + namespace + "}").formatted(id))
                            .toJson(),
                    id -> admin.post("/graphql/docs", "{\"query\": \"{doc(id: \\\"%s\\\"){_id}}\"}".formatted(id))
                            .body());
            var seen = new TreeSet<String>();
            for (int round = 0; round < ROUNDS && seen.size() < 3; round++) {
                seen.addAll(together(TestMongo.profiled(
                        gateway.database(),
                        "{'command.find': 'c', 'command.filter._id.$in': {$exists: true}}",
                        () -> read(services))));
            }
            assertThat(seen).containsExactly("data", "graphql", "mcp");
        }
    }

    /// Stored keys of definitions are escaped, and nobody sees that.
    @Test
    void a_definition_is_shown_by_a_tool_as_it_was_written(TestMongo mongo) {
        try (var gateway = TestGateway.start(mongo, """
                mcp: {enabled: true}
                graphql: {enabled: true, uri: /graphql, db: $db, collection: gql-apps}
                """)) {
            gateway.insert("gql-apps", "{_id: 'docs', mappings: {Query: {doc: {find: {_id: {_$arg: 'id'}}}}}}");
            var shown = new McpClient(gateway.as("admin"))
                    .call(
                            "find",
                            "{\"database\": \"%s\", \"collection\": \"gql-apps\", \"filter\": {\"_id\": \"docs\"}}"
                                    .formatted(gateway.database().getName()))
                    .toJson();
            assertThat(shown).contains("$arg").doesNotContain("_$arg");
        }
    }

    private static void read(List<Function<String, String>> services) throws Exception {
        var names = List.of("rest", "data", "mcp", "graphql");
        var calls = new ArrayList<Callable<Void>>();
        for (int i = 0; i < READS; i++) {
            for (int service = 0; service < names.size(); service++) {
                var id = names.get(service) + "-" + i;
                var read = services.get(service);
                calls.add(() -> {
                    assertThat(read.apply(id)).contains(id);
                    return null;
                });
            }
        }
        try (var threads = Executors.newFixedThreadPool(32)) {
            for (var done : threads.invokeAll(calls)) {
                done.get();
            }
        }
    }

    /// The services whose reads were in a command with reads of the REST API.
    private static Set<String> together(List<BsonDocument> commands) {
        var services = new TreeSet<String>();
        for (var command : commands) {
            var ids = command.getDocument("command")
                    .getDocument("filter")
                    .getDocument("_id")
                    .getArray("$in");
            var named = named(ids);
            if (named.remove("rest")) {
                services.addAll(named);
            }
        }
        return services;
    }

    private static Set<String> named(BsonArray ids) {
        var named = new TreeSet<String>();
        ids.stream()
                .map(BsonValue::asString)
                .map(id -> id.getValue().split("-", -1)[0])
                .forEach(named::add);
        return named;
    }
}
