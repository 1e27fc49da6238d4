import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/// Calls the Atlas Data API as docs/how-to/move-from-atlas-data-api.md shows. Exits with 1 at a surprise.
final class DataApiClient {
    public static void main(String[] arguments) throws Exception {
        insert("java");
        var found = act("findOne", "\"filter\": {\"text\": \"java\"}, \"projection\": {\"_id\": 0}");
        if (!found.equals("{\"document\": {\"text\": \"java\"}}")) {
            throw new AssertionError(found);
        }
        System.out.println("java.net.http: inserts and finds");
    }

    private static void insert(String text) throws Exception {
        var inserted = act("insertOne", "\"document\": {\"text\": \"" + text + "\"}");
        if (!inserted.matches("\\{\"insertedId\": \"[0-9a-f]{24}\"}")) {
            throw new AssertionError(inserted);
        }
    }

    private static String act(String action, String more) throws Exception {
        var url = System.getenv("DATA_API_URL");
        var request = HttpRequest.newBuilder(URI.create(url + "/action/" + action))
                .header("Content-Type", "application/json")
                .header("api-key", System.getenv("DATA_API_KEY"))
                .POST(BodyPublishers.ofString("""
                        {"dataSource": "Cluster0", "database": "%s", "collection": "data_api_clients", %s}
                        """.formatted(System.getenv("DATA_API_DATABASE"), more)))
                .build();
        try (var http = HttpClient.newHttpClient()) {
            return http.send(request, BodyHandlers.ofString()).body();
        }
    }
}
