package org.restheart.core.mcp;

import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.testkit.TestClient;

/// Sends requests of the Model Context Protocol's modern revision, as one account; immutable.
public record McpClient(TestClient http) {
    private static final String META = """
            {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
             "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
             "io.modelcontextprotocol/clientCapabilities": {%s}}""";

    public static final String URI = "/_mcp";

    /// @param params without `_meta`
    public HttpResponse<String> send(String method, String params) {
        return send(method, params, "");
    }

    public HttpResponse<String> send(String method, String params, String capabilities) {
        var all = BsonDocument.parse(params);
        var name = all.getString(method.equals("resources/read") ? "uri" : "name", new BsonString(""));
        all.append("_meta", BsonDocument.parse(META.formatted(capabilities)));
        var client = name.getValue().isEmpty() ? http : http.with("Mcp-Name", name.getValue());
        return client.with("MCP-Protocol-Version", "2026-07-28")
                .with("Mcp-Method", method)
                .with("Accept", "application/json, text/event-stream")
                .post(URI, message(method, all.toJson()));
    }

    public static String message(String method, String params) {
        return "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"%s\", \"params\": %s}".formatted(method, params);
    }

    public BsonDocument result(String method, String params) {
        return json(send(method, params)).getDocument("result");
    }

    /// The result of a tool.
    public BsonDocument call(String tool, String arguments) {
        return call(tool, arguments, "", "{}");
    }

    /// @param more further parameters
    public BsonDocument call(String tool, String arguments, String capabilities, String more) {
        var response = send("tools/call", parameters(tool, arguments, more), capabilities);
        var json = json(response);
        if (!json.containsKey("result")) {
            throw new AssertionError(response.body());
        }
        return json.getDocument("result");
    }

    public static String parameters(String tool, String arguments, String more) {
        var params = new BsonDocument("name", new BsonString(tool)).append("arguments", BsonDocument.parse(arguments));
        params.putAll(BsonDocument.parse(more));
        return params.toJson();
    }

    public static BsonDocument json(HttpResponse<String> response) {
        return BsonDocument.parse(response.body());
    }

    public static BsonDocument error(HttpResponse<String> response) {
        return json(response).getDocument("error");
    }

    public static boolean isError(BsonDocument result) {
        return result.getBoolean("isError", org.bson.BsonBoolean.FALSE).getValue();
    }

    /// The summary, or why there is none.
    public static String text(BsonDocument result) {
        return result.getArray("content")
                .getFirst()
                .asDocument()
                .getString("text")
                .getValue();
    }

    /// The block with what is stored.
    public static String data(BsonDocument result) {
        return result.getArray("content")
                .getLast()
                .asDocument()
                .getString("text")
                .getValue();
    }

    /// What stands within the fence, line by line.
    public static List<BsonDocument> documents(BsonDocument result) {
        var lines = data(result).lines().toList();
        return lines.subList(2, lines.size() - 1).stream()
                .map(BsonDocument::parse)
                .toList();
    }

    public static List<String> names(BsonArray definitions) {
        return definitions.stream()
                .map(BsonValue::asDocument)
                .map(definition -> definition.getString("name").getValue())
                .toList();
    }
}
