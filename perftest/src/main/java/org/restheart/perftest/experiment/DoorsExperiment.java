package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.load.Requests;
import org.restheart.perftest.load.RestDialect;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `doors`: the same work by the REST API, the Atlas Data API, the Model Context Protocol and GraphQL of one gateway.
@Command(
        name = "doors",
        description = "One document by id by REST, the Atlas Data API, the Model Context Protocol and GraphQL; one "
                + "insert by REST and the Atlas Data API.",
        footer = "Takes six minutes.")
public final class DoorsExperiment extends Experiment {
    private static final String REST = "REST";

    /// All services, and no bound of calls that this could reach.
    private static final String SERVICES = "/dataApi/enabled -> true; /graphql/db -> '" + Dataset.DATABASE
            + "'; /mcp/enabled -> true; /oauthProtectedResourceMetadataService/enabled -> true;"
            + " /mcp/calls-per-minute -> 1000000; /mcp/concurrent-calls -> 10000";

    private static final int TEXT = 150;

    @Mixin
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(1, 64, 128), List.of());

    @Option(names = "--documents", description = "Default ${DEFAULT-VALUE}.")
    int documents = 10_000;

    private record Case(String operation, String subject, Requests requests) {}

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var read = data.loaded(documents, TEXT);
        store(mongo, read);
        var gateway = bed.gateway("gateway", mongo, SERVICES);
        var cases = cases(gateway.dialect(), read, data.fresh());
        try (var verification = new Verification(mongo)) {
            for (var one : cases) {
                verification.check(
                        one.requests(),
                        gateway.dialect().port(),
                        one.operation().equals("insert") ? "" : "group");
            }
        }
        var journal = run.journal(run.repetitions * clients.clients.size() * cases.size());
        for (int repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var level : clients.clients) {
                for (var one : cases) {
                    var window = journal.warmedUp(one.subject(), one.operation(), run.window());
                    var measured = gateway.measure(List.of(one.requests()), level, window);
                    journal.add(new Row(one.operation(), one.subject(), level, repetition, measured));
                }
            }
        }
        return new Findings(
                "doors",
                "What do the Atlas Data API, MCP and GraphQL cost beside REST?",
                "clients",
                REST,
                Map.of("documents", documents + " of " + TEXT + " bytes of text"),
                journal,
                List.of());
    }

    private List<Case> cases(RestDialect rest, Namespace read, Namespace written) {
        var byId = rest.traffic(new Operation.FindById(read, documents)).getFirst();
        var inserted = rest.traffic(new Operation.Insert(written, 1, TEXT)).getFirst();
        var filter = "\"filter\":{\"_id\":{\"$oid\":\"{}\"}}";
        var call =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"find\",\"arguments\":{"
                        + names(read) + "," + filter + "}}}";
        var query = "{\"query\":\"query($id: ObjectId){one(id: $id){id n group text}}\",\"variables\":{\"id\":\"{}\"}}";
        var cases = new ArrayList<Case>();
        cases.add(new Case("by id", REST, byId));
        cases.add(
                new Case("by id", "Data API", rest.write("POST", action("findOne"), act(read, filter), byId.values())));
        cases.add(new Case("by id", "MCP", rest.write("POST", "/_mcp", call, byId.values())));
        cases.add(new Case("by id", "GraphQL", rest.write("POST", "/graphql/perftest", query, byId.values())));
        cases.add(new Case("insert", REST, inserted));
        var insert = act(written, "\"document\":" + inserted.body());
        cases.add(new Case("insert", "Data API", rest.write("POST", action("insertOne"), insert, List.of())));
        return cases;
    }

    private static String action(String name) {
        return "/app/any/endpoint/data/v1/action/" + name;
    }

    private static String act(Namespace namespace, String members) {
        return "{\"dataSource\":\"x\"," + names(namespace) + "," + members + "}";
    }

    private static String names(Namespace namespace) {
        return "\"database\":\"" + namespace.database() + "\",\"collection\":\"" + namespace.collection() + "\"";
    }

    /// The GraphQL app that reads one document by its id.
    private static void store(Mongo mongo, Namespace read) {
        var one = new Document("db", read.database())
                .append("collection", read.collection())
                .append("find", new Document("_id", new Document("$arg", "id")));
        var app = new Document("_id", "perftest")
                .append("descriptor", new Document("uri", "perftest").append("enabled", true))
                .append(
                        "schema",
                        "type Document { id: ObjectId n: Long group: String text: String }"
                                + " type Query { one(id: ObjectId): Document }")
                .append(
                        "mappings",
                        new Document("Document", new Document("id", "_id")).append("Query", new Document("one", one)));
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase(Dataset.DATABASE)
                    .getCollection("gql-apps")
                    .replaceOne(Filters.eq("perftest"), app, new ReplaceOptions().upsert(true));
        }
    }
}
