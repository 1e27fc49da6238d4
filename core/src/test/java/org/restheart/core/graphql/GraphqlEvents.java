package org.restheart.core.graphql;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.EventStreamClient;
import org.restheart.testkit.TestClient;

/// A client of graphql-sse with distinct connections.
final class GraphqlEvents extends EventStreamClient {
    private GraphqlEvents(ConformanceGateway gateway, String user, String app, String json, List<String> fields)
            throws IOException {
        super(gateway.port(), "POST /graphql/" + app, withContent(user, json, fields), json);
    }

    private static List<String> withContent(String user, String json, List<String> fields) {
        var all = new ArrayList<>(fields);
        all.add("Content-Type: application/json");
        all.add("Content-Length: " + json.getBytes(StandardCharsets.UTF_8).length);
        all.add("Authorization: " + TestClient.basic(user, "secret"));
        return all;
    }

    /// @param json of the request
    static GraphqlEvents ask(ConformanceGateway gateway, String user, String app, String json) throws IOException {
        return new GraphqlEvents(gateway, user, app, json, List.of());
    }

    /// @param fields of the request, further ones
    static GraphqlEvents open(ConformanceGateway gateway, String user, String app, String query, String... fields)
            throws IOException {
        var body = new BsonDocument("query", new BsonString(query)).toJson();
        return new GraphqlEvents(gateway, user, app, body, List.of(fields));
    }

    /// The id of the next event, which has nothing else.
    String position() throws IOException {
        var id = "";
        for (var line = readLine(); line != null && (id.isEmpty() || !line.isEmpty()); line = readLine()) {
            if (line.startsWith("id:")) {
                id = line.substring(3);
            } else if (line.startsWith("event:") || line.startsWith("data:")) {
                throw new IOException("not a position: " + line);
            }
        }
        return id;
    }

    BsonDocument data() throws IOException {
        return next().document().getDocument("data");
    }
}
