package org.restheart.core.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.mcp.McpClient.error;
import static org.restheart.core.mcp.McpClient.json;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A gateway with the Model Context Protocol, read-only, and requests to it.
@WithMongo
abstract class McpFixture {
    @AutoClose
    static TestGateway gateway;

    static String db;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "mcp: {enabled: true, calls-per-minute: 100000, concurrent-calls: 100}\n");
        db = gateway.database().getName();
        gateway.permit(
                "{_id: 'orders', roles: ['editor'], predicate: \"method(GET) and path-prefix('/orders')\", mongo:"
                        + " {readFilter: {owner: '@user._id'}, projectResponse: {secret: 0}, allowManagementRequests: true}}");
        gateway.permit("{_id: 'bob', roles: ['viewer'], predicate: \"path-prefix('/orders')\", mongo:"
                + " {readFilter: {owner: 'bob'}, projectResponse: {secret: 0}, allowAdHocAggregations: true}}");
        gateway.permit("{_id: 'rest', roles: ['editor'], predicate: \"path-prefix('/plain') and via('rest')\"}");
        gateway.permit("{_id: 'counts', roles: ['editor'], predicate: \"path-prefix('/counted') and action(count)\"}");
        for (int i = 0; i < 30; i++) {
            gateway.insert(
                    "orders",
                    "{_id: %d, owner: '%s', n: %d, secret: 'hidden-%d', nested: {a: [1, 2], b: true}}"
                            .formatted(i, i < 12 ? "ada" : "bob", i, i));
        }
        gateway.insert("plain", "{_id: 1}");
        gateway.insert("counted", "{_id: 1}");
        gateway.insert(
                "many",
                IntStream.range(0, 150).mapToObj(i -> "{_id: " + i + "}").toArray(String[]::new));
    }

    static McpClient as(String name) {
        return new McpClient(gateway.as(name));
    }

    static String in(String collection, String more) {
        return "{\"database\": \"%s\", \"collection\": \"%s\"%s}"
                .formatted(db, collection, more.isEmpty() ? "" : ", " + more.replace('\'', '"'));
    }

    static BsonDocument call(String who, String tool, String collection, String more) {
        return as(who).call(tool, in(collection, more));
    }

    static HttpResponse<String> raw(TestClient client, String method, String params) {
        return client.post(McpClient.URI, McpClient.message(method, params));
    }

    static final String META =
            "{\"_meta\": {\"io.modelcontextprotocol/protocolVersion\": \"%s\", \"io.modelcontextprotocol/clientCapabilities\": {}}%s}";

    static void expect(HttpResponse<String> response, int status, int code) {
        assertStatus(status, response);
        assertThat(error(response).getInt32("code").getValue()).isEqualTo(code);
    }

    static BsonDocument legacy(String method, String params, String... headers) {
        var client = gateway.as("ada");
        for (int i = 0; i < headers.length; i += 2) {
            client = client.with(headers[i], headers[i + 1]);
        }
        var response = raw(client, method, params);
        assertStatus(200, response);
        assertThat(response.headers().map()).doesNotContainKey("mcp-session-id");
        return json(response);
    }
}
