package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ReplaceOptions;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.Document;
import org.restheart.perftest.deploy.GraphqlApp;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.load.Pace;
import org.restheart.perftest.load.RequestTemplate;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `doors`: the same work by the REST API, the Atlas Data API, the Model Context Protocol and GraphQL of one gateway,
/// and by a plain server of graphql-java.
@Command(
        name = "doors",
        description = "One document by id and one insert by REST and by the Atlas Data API; by id by the Model Context "
                + "Protocol; by id, and nested in three levels, by GraphQL, beside a plain server of graphql-java with "
                + "the driver, and nested by REST.",
        footer = "Takes ten minutes.")
public final class DoorsExperiment extends Experiment {
    private static final String REST = "REST";
    private static final String PLAIN = "plain graphql-java";
    /// All services, and no bound of calls that this could reach.
    private static final String SERVICES = "/dataApi/enabled -> true; /graphql/db -> 'perftest'; /mcp/enabled -> true;"
            + " /oauthProtectedResourceMetadataService/enabled -> true; /mcp/calls-per-minute -> 1000000;"
            + " /mcp/concurrent-calls -> 10000";
    private static final int AUTHORS = 100;
    private static final int BOOKS = 5;
    private static final int TEXT = 150;

    @Mixin
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(1, 64, 128), List.of());

    @picocli.CommandLine.Option(names = "--documents", description = "Default ${DEFAULT-VALUE}.")
    int documents = 10_000;

    private record Case(String operation, String subject, HttpSubject server, RequestTemplate traffic) {}

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var read = data.loaded(documents, TEXT);
        load(mongo);
        var gateway = bed.gateway("gateway", mongo, SERVICES);
        var plain = bed.plainGraphql(PLAIN, mongo, documents);
        var cases = cases(gateway, plain, read, data.fresh());
        try (var verification = new Verification(mongo)) {
            for (var one : cases) {
                verification.check(one.traffic(), one.server().dialect().port(), text(one));
            }
        }
        var journal = run.journal(run.repetitions * clients.clients.size() * cases.size());
        for (int repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var level : clients.clients) {
                for (var one : cases) {
                    var window = journal.warmedUp(one.subject(), one.operation(), run.window());
                    var measured = one.server().measure(one.traffic(), level, new Pace.Closed(), window);
                    journal.add(new Row(one.operation(), one.subject(), level, repetition, measured));
                }
            }
        }
        return new Findings(
                "doors",
                "What do the Atlas Data API, MCP and GraphQL cost beside REST, and beside a plain server of graphql-java?",
                "clients",
                REST,
                Map.of("documents", documents + " of " + TEXT + " bytes of text"),
                journal,
                List.of(
                        "Nested: " + GraphqlApp.LISTED + " authors, their " + BOOKS
                                + " books each, the writer of each. By REST these are three requests, each"
                                + " measured by itself: a client that sends one after the other waits for all three.",
                        "The plain server checks no credentials, and asks the driver once for each field."));
    }

    /// A part of the right answer.
    private static String text(Case one) {
        return switch (one.operation()) {
            case "insert" -> "";
            case "nested" -> one.subject().startsWith(REST) ? "_id" : "title 4";
            default -> "group";
        };
    }

    private List<Case> cases(HttpSubject gateway, HttpSubject plain, Namespace read, Namespace written) {
        var rest = gateway.dialect();
        var cases = new ArrayList<Case>();
        var byId = new Operation.FindById(read, documents);
        cases.add(new Case("by id", REST, gateway, rest.traffic(byId)));
        cases.add(new Case(
                "by id",
                "Data API",
                gateway,
                post(rest, action("findOne"), act(read, "\"filter\":{\"_id\":{\"$oid\":\"{}\"}}"), byId(byId))));
        cases.add(new Case("by id", "MCP", gateway, call(rest, read, byId)));
        var one = "{\"query\":\"query($id: %s){one(id: $id){id n group text}}\",\"variables\":{\"id\":\"{}\"}}";
        cases.add(new Case(
                "by id", "GraphQL", gateway, post(rest, "/graphql/perftest", one.formatted("ObjectId"), byId(byId))));
        cases.add(new Case("by id", PLAIN, plain, post(plain.dialect(), "/", one.formatted("ID"), byId(byId))));
        var insert = new Operation.Insert(written, 1, TEXT);
        var inserted = rest.traffic(insert);
        cases.add(new Case("insert", REST, gateway, inserted));
        cases.add(new Case(
                "insert",
                "Data API",
                gateway,
                post(
                        rest,
                        action("insertOne"),
                        act(written, "\"document\":" + inserted.body()),
                        new RequestTemplate.Slot.Nothing())));
        var nested = "{\"query\":\"{authors{name books{title writer{name}}}}\"}";
        cases.add(new Case(
                "nested",
                "GraphQL",
                gateway,
                post(rest, "/graphql/perftest", nested, new RequestTemplate.Slot.Nothing())));
        cases.add(new Case(
                "nested", PLAIN, plain, post(plain.dialect(), "/", nested, new RequestTemplate.Slot.Nothing())));
        cases.addAll(stepsByRest(gateway));
        return cases;
    }

    /// What a client of the REST API sends one after the other instead: authors, their books, and the writers of these.
    private static List<Case> stepsByRest(HttpSubject gateway) {
        var listed = IntStream.range(AUTHORS - GraphqlApp.LISTED, AUTHORS)
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(",", "[", "]")); // a page begins with the last
        var authors = new Namespace(GraphqlApp.DATABASE, GraphqlApp.AUTHORS).path();
        var books = new Namespace(GraphqlApp.DATABASE, GraphqlApp.BOOKS).path();
        var steps = List.of(
                authors + "?pagesize=" + GraphqlApp.LISTED,
                books + "?pagesize=" + GraphqlApp.LISTED * BOOKS + "&filter=" + in("author", listed),
                authors + "?pagesize=" + GraphqlApp.LISTED + "&filter=" + in("_id", listed));
        return IntStream.range(0, steps.size())
                .mapToObj(i -> new Case(
                        "nested",
                        REST + ", " + (i + 1) + " of " + steps.size(),
                        gateway,
                        new RequestTemplate(
                                "GET",
                                steps.get(i),
                                gateway.dialect().fields(),
                                "",
                                new RequestTemplate.Slot.Nothing())))
                .toList();
    }

    private static String in(String field, String values) {
        return URLEncoder.encode("{\"" + field + "\":{\"$in\":" + values + "}}", StandardCharsets.UTF_8);
    }

    private static RequestTemplate.Slot byId(Operation.FindById operation) {
        return new RequestTemplate.Slot.RandomId(operation.documents());
    }

    private static RequestTemplate post(RestDialect dialect, String target, String body, RequestTemplate.Slot slot) {
        return new RequestTemplate("POST", target, dialect.fields(), body, slot);
    }

    /// A call of the tool `find`, as a client of a legacy revision sends it.
    private static RequestTemplate call(RestDialect dialect, Namespace namespace, Operation.FindById operation) {
        var arguments = "{\"database\":\"" + namespace.database() + "\",\"collection\":\"" + namespace.collection()
                + "\",\"filter\":{\"_id\":{\"$oid\":\"{}\"}}}";
        var message =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"find\",\"arguments\":"
                        + arguments + "}}";
        var fields = new ArrayList<>(dialect.fields());
        fields.add("Content-Type: application/json");
        return new RequestTemplate("POST", "/_mcp", fields, message, byId(operation));
    }

    private static String action(String name) {
        return "/app/any/endpoint/data/v1/action/" + name;
    }

    private static String act(Namespace namespace, String members) {
        return "{\"dataSource\":\"x\",\"database\":\"" + namespace.database() + "\",\"collection\":\""
                + namespace.collection() + "\"," + members + "}";
    }

    private void load(Mongo mongo) throws IOException {
        try (var client = MongoClients.create(mongo.connectionString())) {
            var database = client.getDatabase(GraphqlApp.DATABASE);
            var authors = database.getCollection(GraphqlApp.AUTHORS);
            var books = database.getCollection(GraphqlApp.BOOKS);
            authors.drop();
            books.drop();
            authors.insertMany(IntStream.range(0, AUTHORS)
                    .mapToObj(i -> new Document("_id", i).append("name", "name " + i))
                    .toList());
            books.insertMany(IntStream.range(0, AUTHORS * BOOKS)
                    .mapToObj(i ->
                            new Document("_id", i).append("title", "title " + i).append("author", i / BOOKS))
                    .toList());
            books.createIndex(Indexes.ascending("author"));
            database.getCollection("gql-apps")
                    .replaceOne(
                            Filters.eq("perftest"),
                            GraphqlApp.definition(documents),
                            new ReplaceOptions().upsert(true));
        }
    }
}
