package org.restheart.core.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.mcp.McpClient.isError;
import static org.restheart.core.mcp.McpClient.text;

import com.mongodb.client.MongoClient;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.security.LogLines;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What calls over the Model Context Protocol may cost MongoDB: no scans of large collections, and nothing for clients
/// that have left.
@WithMongo
class McpCostTest {
    private static final int LIMIT = 200;
    /// Takes some 10 ms a document.
    private static final String SLOW =
            "{\"$gt\": [{\"$reduce\": {\"input\": {\"$range\": [0, 30000]}, \"initialValue\": 0,"
                    + " \"in\": {\"$add\": [\"$$value\", {\"$size\": {\"$range\": [0, 2]}}]}}}, -1]}";

    @AutoClose
    private static TestGateway gateway;

    @AutoClose
    private static TestGateway unguarded;

    private static MongoClient client;
    private static String db;

    @BeforeAll
    static void start(TestMongo mongo) {
        client = mongo.client();
        gateway = TestGateway.start(
                mongo,
                "mcp: {enabled: true, calls-per-minute: 100000, refuse-collection-scans: true, scan-limit: " + LIMIT
                        + "}\n");
        db = gateway.database().getName();
        unguarded = TestGateway.start(mongo, "mcp: {enabled: true, calls-per-minute: 100000}\n");
        gateway.permit("{_id: 1, roles: ['editor'], predicate: \"method(GET) and path-prefix('/large')\", mongo:"
                + " {readFilter: {owner: '@user._id'}}}");
        for (var name : List.of("large", "small", "slow")) {
            (name.equals("slow") ? unguarded : gateway)
                    .insert(
                            name,
                            IntStream.range(0, name.equals("small") ? 100 : 3 * LIMIT)
                                    .mapToObj(i ->
                                            "{a: %d, b: %d, owner: '%s'}".formatted(i, i, i % 100 == 0 ? "ada" : "bob"))
                                    .toArray(String[]::new));
            (name.equals("slow") ? unguarded : gateway).collection(name).createIndex(new Document("a", 1));
        }
    }

    private static String in(String collection, String more) {
        return "{\"database\": \"%s\", \"collection\": \"%s\", %s}".formatted(db, collection, more.replace('\'', '"'));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            admin | find      | large | 'filter': {'b': 3}                 | true
            admin | find      | large | 'sort': {'b': 1}                   | true
            admin | count     | large | 'filter': {'b': 3}                 | true
            admin | aggregate | large | 'pipeline': [{'$match': {'b': 3}}] | true
            admin | find      | large | 'sort': {'b': 1}, 'limit': 5       | true
            admin | aggregate | large | 'pipeline': [{'$sort': {'b': 1}}]  | true
            admin | aggregate | large | 'pipeline': [{'$group': {'_id': '$b'}}] | true
            admin | aggregate | large | 'pipeline': [{'$limit': 5000}, {'$group': {'_id': '$b'}}] | true
            admin | aggregate | large | 'pipeline': [{'$limit': 5000}, {'$match': {'b': 3}}] | true
            admin | aggregate | large | 'pipeline': [{'$skip': 500}, {'$limit': 5}] | true
            admin | aggregate | large | 'pipeline': [{'$limit': 5}, {'$group': {'_id': '$b'}}] | false
            admin | aggregate | large | 'pipeline': [{'$match': {'a': 3}}, {'$unionWith': {'coll': 'large'}}] | true
            admin | find      | large | 'filter': {'a': 3}, 'sort': {'b': 1} | false
            admin | find      | large | 'filter': {'a': 3}                 | false
            admin | find      | large | 'filter': {'a': 3, 'b': 3}         | false
            admin | find      | large | 'filter': {}                       | false
            admin | find      | large | 'sort': {'a': -1}                  | false
            admin | count     | large | 'filter': {}                       | false
            admin | count     | large | 'filter': {'a': 3}                 | false
            admin | aggregate | large | 'pipeline': [{'$match': {'a': 3}}] | false
            admin | find      | small | 'filter': {'b': 3}                 | false
            admin | aggregate | small | 'pipeline': [{'$match': {'b': 3}}] | false
            ada   | find      | large | 'filter': {'b': 3}                 | false
            """)
    void queries_without_index_are_refused_on_large_collections(
            String who, String tool, String collection, String arguments, boolean refused) {
        var result = new McpClient(gateway.as(who)).call(tool, in(collection, arguments));
        assertThat(isError(result)).as(result.toJson()).isEqualTo(refused);
        if (refused) {
            assertThat(text(result)).contains("no index serves this").contains("\"a_1\"");
        }
    }

    /// Planning counts, too: MongoDB tries plans with the documents.
    private static boolean isRunning() {
        var match = "{type: 'op', ns: '" + unguarded.database().getName() + ".slow'}";
        return !TestMongo.operations(client, match).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            aggregate | 'pipeline': [{'$match': {'a': {'$gte': 0}, '$expr': SLOW}}, {'$group': {'_id': null}}]
            find      | 'filter': {'a': {'$gte': 0}, '$expr': {'$not': [SLOW]}}
            count     | 'filter': {'a': {'$gte': 0}, '$expr': SLOW}
            """)
    void a_query_whose_client_has_left_ends_in_MongoDB(String tool, String arguments) throws IOException {
        var params = McpClient.parameters(
                tool,
                in("slow", arguments.replace("SLOW", SLOW))
                        .replace(db, unguarded.database().getName()),
                "{}");
        var body = McpClient.message("tools/call", params).getBytes(StandardCharsets.UTF_8);
        var basic = Base64.getEncoder().encodeToString("admin:admin-pw".getBytes(StandardCharsets.UTF_8));
        try (var lines = new LogLines()) {
            try (var socket = new Socket(
                    unguarded.address().getAddress(), unguarded.address().getPort())) {
                var out = socket.getOutputStream();
                out.write(
                        ("POST /_mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Basic "
                                        + basic + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                out.write(body);
                out.flush();
                await().until(McpCostTest::isRunning);
            }
            Patience.within(Duration.ofSeconds(4)).until(() -> !isRunning());
            var next = new McpClient(gateway.as("admin")).call("find", in("small", "'filter': {}"));
            assertThat(isError(next)).as(next.toJson()).isFalse();
            assertThat(lines.all()).noneMatch(line -> line.startsWith("ERROR"));
        }
    }
}
