import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The official client of Java, which opens with `initialize`. Ends with 1 at the first surprise.
final class JavaClient {
    private static final Map<String, Object> THERE = Map.of("database", "restheart", "collection", "mcp_clients");

    private JavaClient() {}

    public static void main(String[] arguments) {
        var url = System.getenv("MCP_URL");
        var base = url.substring(0, url.lastIndexOf('/'));
        var transport = HttpClientStreamableHttpTransport.builder(base)
                .endpoint(url.substring(base.length()))
                .requestBuilder(HttpRequest.newBuilder().header("Authorization", System.getenv("MCP_AUTHORIZATION")))
                .build();
        try (var client = McpClient.sync(transport).requestTimeout(Duration.ofSeconds(30)).build()) {
            var begun = client.initialize();
            System.out.println("io.modelcontextprotocol.sdk:mcp: " + begun.protocolVersion());
            steps(client);
        }
        System.out.println("io.modelcontextprotocol.sdk:mcp: ok");
        System.exit(0); // its schedulers keep the process alive
    }

    private static void steps(McpSyncClient client) {
        client.ping();
        var names = client.listTools().tools().stream().map(tool -> tool.name()).toList();
        expect(names.containsAll(List.of("list-databases", "find", "watch", "delete-many")), names);
        var id = "java-" + System.nanoTime();
        call(client, "insert-many", Map.of("documents", List.of(Map.of("_id", id, "n", 1))));
        var found = call(client, "find", Map.of("filter", Map.of("_id", id)));
        var data = ((TextContent) found.content().getLast()).text();
        expect(data.contains("<data-") && data.contains(id), data);
        var asked = call(client, "delete-many", Map.of("filter", Map.of("_id", id)));
        var token = ((Map<?, ?>) asked.structuredContent()).get("confirmation");
        call(client, "delete-many", Map.of("filter", Map.of("_id", id), "confirmation", token));
        var gone = call(client, "count", Map.of("filter", Map.of("_id", id)));
        expect(((Number) ((Map<?, ?>) gone.structuredContent()).get("count")).intValue() == 0, gone);
        var resource = client.listResources().resources().getFirst();
        expect(!client.readResource(new ReadResourceRequest(resource.uri())).contents().isEmpty(), resource);
        expect(client.listPrompts().prompts().size() == 4, "prompts");
    }

    private static CallToolResult call(McpSyncClient client, String tool, Map<String, Object> arguments) {
        var all = new java.util.HashMap<>(THERE);
        all.putAll(arguments);
        var result = client.callTool(new CallToolRequest(tool, all));
        expect(!Boolean.TRUE.equals(result.isError()), result);
        return result;
    }

    private static void expect(boolean fulfilled, Object otherwise) {
        if (!fulfilled) {
            throw new AssertionError(otherwise);
        }
    }
}
