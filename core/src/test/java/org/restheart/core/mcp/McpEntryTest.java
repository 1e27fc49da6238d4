package org.restheart.core.mcp;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.mcp.McpClient.error;
import static org.restheart.core.mcp.McpClient.json;
import static org.restheart.core.mcp.McpClient.names;
import static org.restheart.core.mcp.McpClient.text;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.LogLines;
import org.restheart.core.security.TestGateway;
import org.restheart.core.server.RawClient;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// From where, with which credentials and in which form calls of the Model Context Protocol are let in.
@WithMongo
class McpEntryTest {
    private static final int LISTED = 103;
    private static final String PING = McpClient.message("ping", "{}");

    @AutoClose
    private static TestGateway gateway;

    private static List<String> startLog;

    @BeforeAll
    static void start(TestMongo mongo) {
        try (var lines = new LogLines()) {
            gateway = TestGateway.start(mongo, """
                    mcp: {enabled: true, read-only: false, calls-per-minute: 100000, audit: false,
                      allowed-origins: ["https://app.example"], base-url: "https://db.example/",
                      authorization-servers: ["https://login.example"]}
                    aggregationSecurity: {enabled: true, stageBlacklist: [$out, $merge, $lookup, $graphLookup, $unionWith]}
                    apiKeyAuthMechanism: {enabled: true}
                    apiKeyRealm: {keys-db: $db}
                    jwtConfigProvider: {key: "a key of more than sixty-four characters, so that it is long enough for HMAC"}
                    jwtAuthenticationMechanism: {enabled: true}
                    """);
            startLog = lines.all();
        }
        var listed = IntStream.range(0, LISTED).mapToObj(i -> " or path-prefix('/c" + i + "')");
        gateway.permit(
                "{_id: 1, roles: ['editor'], predicate: \"path-prefix('/c')" + listed.collect(joining()) + "\"}");
        gateway.permit("{_id: 2, roles: ['$unauthenticated'], predicate: \"method(GET) and path-prefix('/open')\"}");
        gateway.insert("c", "{_id: 1}");
    }

    @Test
    void anonymous_callers_are_let_in_by_permissions_for_data_only(TestMongo mongo) {
        for (var predicate : List.of(
                "path-prefix('/ping')",
                "path-prefix('/open') and method(POST)",
                "path-prefix('/open') and via('rest')")) {
            try (var other = TestGateway.start(mongo, "mcp: {enabled: true}\nping: {enabled: true}\n")) {
                other.permit("{_id: 1, roles: ['$unauthenticated'], predicate: \"" + predicate + "\"}");
                other.insert("open", "{_id: 1}");
                assertThat(other.anonymous().post(McpClient.URI, PING).statusCode())
                        .as(predicate)
                        .isEqualTo(401);
            }
        }
    }

    private static String find(String collection) {
        return McpClient.parameters(
                "find",
                "{\"database\": \"%s\", \"collection\": \"%s\"}"
                        .formatted(gateway.database().getName(), collection),
                "{}");
    }

    private static int status(TestClient client) {
        return client.post(McpClient.URI, PING).statusCode();
    }

    /// The status of the response to a request with this `Host`.
    private static int withHost(String host) throws IOException {
        try (var client = new RawClient(gateway.address())) {
            return client.send("POST /_mcp HTTP/1.1\r\nHost: " + host
                            + "\r\nContent-Type: application/json\r\nAuthorization: "
                            + TestClient.basic("ada", "ada-pw")
                            + "\r\nConnection: close\r\nContent-Length: " + PING.length() + "\r\n\r\n" + PING)
                    .answer()
                    .status();
        }
    }

    @Test
    void a_name_that_resolves_to_this_computer_is_refused() throws IOException {
        for (var host :
                List.of("localhost", "localhost:8080", "127.0.0.1:1", "127.1.2.3", "[::1]:8080", "db.example")) {
            assertThat(withHost(host)).as(host).isEqualTo(200);
        }
        for (var host :
                List.of("evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example")) {
            assertThat(withHost(host)).as(host).isEqualTo(403);
        }
    }

    @Test
    void only_named_origins_are_let_in() {
        for (var origin : List.of("https://app.example", "https://db.example")) {
            assertThat(status(gateway.as("ada").with("Origin", origin)))
                    .as(origin)
                    .isEqualTo(200);
        }
        for (var origin :
                List.of("http://app.example", "https://app.example:444", "https://app.example.evil", "null", "")) {
            assertThat(status(gateway.as("ada").with("Origin", origin)))
                    .as(origin)
                    .isEqualTo(403);
        }
    }

    @Test
    void a_key_is_taken_where_hosts_put_tokens_and_never_from_a_cookie_or_an_address() {
        var key = json(gateway.as("ada").post("/_apikeys", "{\"days\": 1}"))
                .getString("key")
                .getValue();
        var anonymous = gateway.anonymous();
        for (var client : List.of(anonymous.with("Authorization", "Bearer " + key), anonymous.with("api-key", key))) {
            assertThat(text(new McpClient(client).result("tools/call", find("c"))))
                    .startsWith("Returned 1 document of");
        }
        var other = find("c");
        for (var client : List.of(
                anonymous.with("Cookie", "rh_auth=Bearer " + key), anonymous.with("Cookie", "rh_auth=" + key))) {
            var answer = new McpClient(client).send("tools/call", other);
            assertStatus(200, answer);
            assertThat(answer.body()).doesNotContain("Returned");
        }
        assertStatus(401, anonymous.with("Authorization", "Bearer x" + key).post(McpClient.URI, PING));
        var inAddress = anonymous.post(McpClient.URI + "?access_token=" + key, McpClient.message("tools/call", other));
        assertStatus(200, inAddress);
        assertThat(inAddress.body()).doesNotContain("Returned");
    }

    @Test
    void a_caller_without_an_account_reads_what_anybody_may() {
        gateway.insert("open", "{_id: 'for-all'}");
        var anybody = new McpClient(gateway.anonymous());
        assertThat(McpClient.data(anybody.result("tools/call", find("open")))).contains("for-all");
        assertThat(text(anybody.result("tools/call", find("c")))).isEqualTo("no such collection, or no permission");
    }

    @Test
    void the_metadata_name_the_servers_that_make_tokens() {
        assertThat(json(gateway.anonymous().get("/.well-known/oauth-protected-resource/_mcp"))
                        .getArray("authorization_servers"))
                .containsExactly(new BsonString("https://login.example"));
    }

    @Test
    void a_server_without_audit_log_says_so() {
        assertThat(startLog).anyMatch(line -> line.startsWith("WARN mcp: the audit log is off"));
        try (var lines = new LogLines()) {
            new McpClient(gateway.as("ada")).send("tools/call", find("c"));
            assertThat(lines.all()).noneMatch(line -> line.startsWith("INFO {\"time\""));
        }
    }

    @Test
    void definitions_say_what_a_tool_does() {
        var tools =
                new McpClient(gateway.as("admin")).result("tools/list", "{}").getArray("tools");
        var changing = List.of("update-many", "delete-many", "update-document");
        assertThat(names(tools)).containsAll(changing).contains("insert-many");
        for (var tool : tools) {
            var name = tool.asDocument().getString("name").getValue();
            var hints = tool.asDocument().getDocument("annotations");
            boolean writes = changing.contains(name) || name.equals("insert-many");
            assertThat(hints.getBoolean("readOnlyHint").getValue()).as(name).isEqualTo(!writes);
            assertThat(hints.get("destructiveHint"))
                    .as(name)
                    .isEqualTo(writes ? BsonBoolean.valueOf(!name.equals("insert-many")) : null);
            assertThat(hints.getBoolean("openWorldHint").getValue()).as(name).isFalse();
        }
    }

    private static HttpResponse<String> modern(String method, String params, String name) {
        var all = BsonDocument.parse(params)
                .append(
                        "_meta",
                        BsonDocument.parse("{'io.modelcontextprotocol/protocolVersion': '2026-07-28',"
                                + " 'io.modelcontextprotocol/clientCapabilities': {}}"));
        var client =
                gateway.as("ada").with("MCP-Protocol-Version", "2026-07-28").with("mcp-method", method);
        return (name.isEmpty() ? client : client.with("MCP-NAME", name))
                .post(McpClient.URI, McpClient.message(method, all.toJson()));
    }

    @Test
    void names_of_resources_and_prompts_are_repeated_in_a_header() {
        var uri = "restheart://" + gateway.database().getName();
        assertStatus(200, modern("resources/read", "{uri: '" + uri + "'}", uri));
        assertStatus(200, modern("prompts/get", "{name: 'explore-database'}", "explore-database"));
        for (var response : List.of(
                modern("resources/read", "{uri: '" + uri + "'}", ""),
                modern("resources/read", "{uri: '" + uri + "'}", uri + "/"),
                modern("prompts/get", "{name: 'explore-database'}", ""),
                modern("prompts/get", "{name: 'explore-database'}", "write-query"))) {
            assertStatus(400, response);
            assertThat(error(response).getInt32("code").getValue()).isEqualTo(-32020);
        }
    }

    @Test
    void results_say_that_they_are_complete_and_who_made_them() {
        for (var method : List.of("tools/list", "resources/list", "resources/templates/list", "prompts/list")) {
            var result = json(modern(method, "{}", "")).getDocument("result");
            assertThat(result.getString("resultType").getValue()).as(method).isEqualTo("complete");
            assertThat(result.getDocument("_meta")).as(method).containsKey("io.modelcontextprotocol/serverInfo");
            assertThat(result.getString("cacheScope").getValue())
                    .as(method)
                    .isEqualTo(method.equals("prompts/list") ? "public" : "private");
            assertThat(result.getNumber("ttlMs").longValue()).as(method).isPositive();
        }
        var notified = gateway.as("ada")
                .with("MCP-Protocol-Version", "2026-07-28")
                .with("Mcp-Method", "notifications/cancelled")
                .post(McpClient.URI, "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\"}");
        assertStatus(202, notified);
        assertThat(notified.body()).isEmpty();
    }

    @Test
    void capabilities_that_there_are_not_are_unknown_to_legacy_clients() {
        for (var method :
                List.of("logging/setLevel", "resources/subscribe", "completion/complete", "server/discover")) {
            var response = gateway.as("ada")
                    .with("MCP-Protocol-Version", "2025-11-25")
                    .post(McpClient.URI, McpClient.message(method, "{}"));
            assertThat(response.statusCode()).as(method).isEqualTo(200);
            assertThat(error(response).getInt32("code").getValue()).as(method).isEqualTo(-32601);
        }
    }

    @Test
    void resources_are_listed_in_pages() {
        for (int i = 0; i < LISTED; i++) {
            gateway.database().createCollection("c" + i);
        }
        var first = new McpClient(gateway.as("ada")).result("resources/list", "{}");
        assertThat(first.getArray("resources")).hasSize(100);
        var cursor = first.getString("nextCursor").getValue();
        var second = new McpClient(gateway.as("ada")).result("resources/list", "{\"cursor\": \"" + cursor + "\"}");
        assertThat(second).doesNotContainKey("nextCursor");
        var uris = new ArrayList<String>();
        for (var page : List.of(first, second)) {
            page.getArray("resources")
                    .forEach(one -> uris.add(one.asDocument().getString("uri").getValue()));
        }
        assertThat(uris).hasSize(104).isSorted().doesNotHaveDuplicates();
        var others = new McpClient(gateway.as("admin")).send("resources/list", "{\"cursor\": \"" + cursor + "\"}");
        assertThat(error(others).getInt32("code").getValue()).isEqualTo(-32602);
    }

    @Test
    void the_collection_of_keys_is_neither_read_nor_written() {
        var admin = new McpClient(gateway.as("admin"));
        gateway.as("ada").post("/_apikeys", "{\"days\": 1}");
        assertThat(text(admin.result("tools/call", find("apikeys")))).isEqualTo("no such collection, or no permission");
        var arguments = "{\"database\": \"%s\", \"collection\": \"apikeys\", \"filter\": {\"account\": \"ada\"}}"
                .formatted(gateway.database().getName());
        assertThat(McpClient.isError(admin.call("delete-many", arguments))).isTrue();
        assertThat(gateway.collection("apikeys").countDocuments()).isPositive();
    }

    @Test
    void the_rights_of_the_root_role_do_not_lift_the_guards_of_pipelines() {
        var arguments =
                "{\"database\": \"%s\", \"collection\": \"c\", \"pipeline\": [{\"$lookup\": {\"from\": \"users\","
                        + " \"pipeline\": [], \"as\": \"u\"}}]}";
        var refused = new McpClient(gateway.as("admin"))
                .call("aggregate", arguments.formatted(gateway.database().getName()));
        assertThat(McpClient.isError(refused)).as(refused.toJson()).isTrue();
        assertThat(text(refused)).contains("pipeline[0]");
    }
}
