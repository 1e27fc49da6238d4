package org.restheart.core.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.mcp.McpClient.error;
import static org.restheart.core.mcp.McpClient.isError;
import static org.restheart.core.mcp.McpClient.json;
import static org.restheart.core.mcp.McpClient.text;
import static org.restheart.testkit.Statuses.assertStatus;

import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestClient;

/// The messages of the Model Context Protocol, its headers and its versions.
class McpProtocolTest extends McpFixture {
    @Test
    void discovery_names_versions_and_capabilities() {
        var result = as("ada").result("server/discover", "{}");
        assertThat(result.getArray("supportedVersions").getFirst()).isEqualTo(new BsonString("2026-07-28"));
        assertThat(result.getString("resultType").getValue()).isEqualTo("complete");
        assertThat(result.getDocument("capabilities")).containsKey("tools");
        assertThat(result.getDocument("_meta").getDocument("io.modelcontextprotocol/serverInfo"))
                .containsKeys("name", "version");
    }

    @Test
    void headers_that_differ_from_the_content_are_refused() {
        var ada = gateway.as("ada").with("MCP-Protocol-Version", "2026-07-28");
        var meta = META.formatted("2026-07-28", "");
        expect(raw(ada, "tools/list", meta), 400, -32020);
        expect(raw(ada.with("Mcp-Method", "tools/call"), "tools/list", meta), 400, -32020);
        expect(raw(gateway.as("ada").with("Mcp-Method", "tools/list"), "tools/list", meta), 400, -32020);
        var find = META.formatted("2026-07-28", ", \"name\": \"find\", \"arguments\": " + in("orders", ""));
        var calling = ada.with("Mcp-Method", "tools/call");
        assertStatus(200, raw(calling.with("Mcp-Name", "=?base64?ZmluZA==?="), "tools/call", find));
        for (var name : new String[] {"=?base64?Y291bnQ=?=", "=?base64?!?=", "count", "FIND"}) {
            expect(raw(calling.with("Mcp-Name", name), "tools/call", find), 400, -32020);
        }
        expect(raw(calling, "tools/call", find), 400, -32020);
        var old = gateway.as("ada").with("MCP-Protocol-Version", "1900-01-01").with("Mcp-Method", "tools/list");
        var unsupported = raw(old, "tools/list", META.formatted("1900-01-01", ""));
        expect(unsupported, 400, -32022);
        assertThat(error(unsupported).getDocument("data").getArray("supported")).hasSize(3);
        var without = "{\"_meta\": {\"io.modelcontextprotocol/protocolVersion\": \"2026-07-28\"}}";
        expect(raw(ada.with("Mcp-Method", "tools/list"), "tools/list", without), 400, -32602);
        expect(raw(ada.with("Mcp-Method", "tools/list"), "tools/list", "{}"), 400, -32602);
    }

    @Test
    void other_methods_do_not_exist() {
        expect(as("ada").send("foo/bar", "{}"), 404, -32601);
        for (var method : new String[] {"GET", "DELETE", "PUT"}) {
            var response = gateway.as("ada").send(method, McpClient.URI, "");
            assertStatus(405, response);
            assertThat(response.headers().firstValue("Allow")).contains("POST, OPTIONS");
            assertThat(response.body()).contains("are POST /_mcp");
        }
        var other = gateway.as("ada").post("/_mcp/other", "{}");
        assertStatus(404, other);
        assertThat(other.body()).contains("the endpoint is POST /_mcp");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tools/list | {}",
                "tools/call | {\"name\": \"list-databases\"}",
                "resources/list | {}",
                "resources/templates/list | {}",
                "resources/read | {\"uri\": \"unknown\"}",
                "prompts/list | {}",
                "prompts/get | {\"name\": \"unknown\"}"
            })
    void a_misspelt_method_is_answered_with_the_name_of_one_that_exists(String method, String params) {
        var exact = json(as("ada").send(method, params));
        assertThat(exact.getDocument("error", new BsonDocument()).get("code"))
                .isNotIn(new BsonInt32(-32601), new BsonInt32(-32020));
        var misspelt = as("ada").send(method + "s", "{}");
        expect(misspelt, 404, -32601);
        assertThat(error(misspelt).getString("message").getValue()).endsWith("; did you mean " + method + "?");
    }

    @Test
    void pages_of_other_origins_are_refused() {
        var message = McpClient.message("ping", "{}");
        var ada = gateway.as("ada");
        assertStatus(403, ada.with("Origin", "https://evil.example").post("/_mcp", message));
        assertStatus(403, ada.with("Origin", "null").post("/_mcp", message));
        var own = "http://" + gateway.address().getHostString() + ":"
                + gateway.address().getPort();
        assertStatus(200, ada.with("Origin", own).post("/_mcp", message));
    }

    @Test
    void a_client_without_an_account_gets_the_address_of_the_authorization_server() {
        for (var client :
                new TestClient[] {gateway.anonymous(), gateway.anonymous().as("ada", "wrong")}) {
            var response = client.post("/_mcp", McpClient.message("ping", "{}"));
            assertStatus(401, response);
            assertThat(response.body()).contains("Authorization: Bearer");
            var challenges = response.headers().allValues("WWW-Authenticate");
            assertThat(challenges.getFirst())
                    .startsWith("Bearer resource_metadata=\"http://")
                    .endsWith("/.well-known/oauth-protected-resource/_mcp\", scope=\"mcp:read\"");
            assertThat(challenges).anyMatch(challenge -> challenge.startsWith("Basic"));
        }
        var metadata = gateway.anonymous().get("/.well-known/oauth-protected-resource/_mcp");
        assertStatus(200, metadata);
        assertThat(json(metadata).getString("resource").getValue()).endsWith("/_mcp");
    }

    /// Without a base URL each request says what this server is called, and a cache would tell others.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/.well-known/oauth-protected-resource/_mcp",
                "/.well-known/oauth-protected-resource/c",
                "/.well-known/oauth-authorization-server"
            })
    void metadata_that_repeats_the_name_in_the_request_is_not_cached(String uri) {
        var metadata = gateway.anonymous()
                .with("X-Forwarded-Host", "other.example")
                .with("X-Forwarded-Proto", "https")
                .get(uri);
        assertStatus(200, metadata);
        assertThat(metadata.headers().firstValue("Cache-Control")).contains("no-store");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "nothing",
                "{} {}",
                "{'jsonrpc': '2.0'} x",
                "{a: 1}",
                "{'_id': ObjectId('6193504e1be4ab27791c8133')}",
                "{'a': 1, 'a': 2}",
                "{'a': '\\ud800'}",
                "{'a': 1e999}"
            })
    void content_that_is_not_json_is_refused(String content) {
        var ada = gateway.as("ada").with("Content-Type", "application/json");
        expect(ada.send("POST", "/_mcp", content.replace('\'', '"')), 400, -32700);
    }

    @Test
    void deep_content_is_refused_and_large_content_is_bounded() {
        var deep = "{\"a\":".repeat(50_000) + "1" + "}".repeat(50_000);
        expect(gateway.as("ada").post("/_mcp", deep), 400, -32700);
        var arrays = McpClient.message("ping", "{\"a\": " + "[".repeat(5_000) + "]".repeat(5_000) + "}");
        expect(gateway.as("ada").post("/_mcp", arrays), 400, -32700);
        var filter = "{\"n\": " + "{\"$not\": ".repeat(95) + "1" + "}".repeat(95) + "}";
        var result = as("admin").call("find", in("orders", "'filter': " + filter));
        assertThat(isError(result)).isTrue();
        var long1 = call("admin", "find", "orders", "'filter': {'n': '" + "x".repeat(1 << 20) + "'}");
        assertThat(text(long1)).isEqualTo("illegal filter parameter (longer than 262144 characters)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "[{'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}]",
                "1",
                "'text'",
                "{'jsonrpc': '1.0', 'id': 1, 'method': 'ping'}",
                "{'id': 1, 'method': 'ping'}",
                "{'jsonrpc': '2.0', 'id': null, 'method': 'ping'}",
                "{'jsonrpc': '2.0', 'id': {}, 'method': 'ping'}",
                "{'jsonrpc': '2.0', 'id': 1.5, 'method': 'ping'}",
                "{'jsonrpc': '2.0', 'id': 1, 'method': 7}",
                "{'jsonrpc': '2.0', 'id': 1}",
                "{'jsonrpc': '2.0', 'id': 1, 'result': {}}",
                "{'jsonrpc': '2.0', 'id': 1, 'method': 'ping', 'params': []}"
            })
    void messages_that_are_no_requests_are_refused(String content) {
        expect(gateway.as("ada").post("/_mcp", content.replace('\'', '"')), 400, -32600);
    }

    @Test
    void content_types_are_checked() {
        var message = McpClient.message("ping", "{}");
        var ada = gateway.as("ada");
        assertStatus(415, ada.with("Content-Type", "text/plain").send("POST", "/_mcp", message));
        assertStatus(406, ada.with("Accept", "text/html").post("/_mcp", message));
        assertStatus(406, ada.with("Accept", "application/json;q=0").post("/_mcp", message));
    }

    @Test
    void legacy_clients_initialize_and_continue_without_a_session() {
        var capabilities = "\"capabilities\": {}, \"clientInfo\": {\"name\": \"old\", \"version\": \"1\"}";
        for (var versions :
                new String[][] {{"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"}, {"2024-11-05", "2025-11-25"}
                }) {
            var result = legacy("initialize", "{\"protocolVersion\": \"" + versions[0] + "\", " + capabilities + "}")
                    .getDocument("result");
            assertThat(result.getString("protocolVersion").getValue()).isEqualTo(versions[1]);
            assertThat(result).containsKeys("capabilities", "serverInfo", "instructions");
        }
        var initialized = "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}";
        var accepted = gateway.as("ada").post("/_mcp", initialized);
        assertStatus(202, accepted);
        assertThat(accepted.body()).isEmpty();
        assertThat(legacy("ping", "{}").getDocument("result")).isEmpty();
        var tools = legacy("tools/list", "{}", "MCP-Protocol-Version", "2025-06-18", "Mcp-Session-Id", "no/such id")
                .getDocument("result");
        assertThat(tools.keySet()).containsExactly("tools");
        var called = legacy("tools/call", McpClient.parameters("find", in("orders", "'limit': 1"), "{}"))
                .getDocument("result");
        assertThat(called.keySet()).containsExactly("content", "structuredContent", "isError");
        assertThat(legacy("resources/subscribe", "{}")
                        .getDocument("error")
                        .getInt32("code")
                        .getValue())
                .isEqualTo(-32601);
        expect(raw(gateway.as("ada").with("MCP-Protocol-Version", "2025-03-26"), "ping", "{}"), 400, -32602);
    }
}
