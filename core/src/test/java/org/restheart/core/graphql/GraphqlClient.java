package org.restheart.core.graphql;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.core.dataapi.ConformanceGateway;

/// Sends definitions and queries.
record GraphqlClient(ConformanceGateway gateway, String user) {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    HttpResponse<String> send(String method, String path, String body) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path))
                .header("Content-Type", "application/json")
                .header(
                        "Authorization",
                        "Basic "
                                + Base64.getEncoder()
                                        .encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8)))
                .method(method, BodyPublishers.ofString(body));
        try {
            return HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Stores a definition.
    void define(String app, String json) {
        var response = send("PUT", "/defs/gql-apps/" + app + "?wm=upsert", json);
        if (response.statusCode() / 100 != 2) {
            throw new IllegalStateException(response.body());
        }
    }

    HttpResponse<String> ask(String app, String query) {
        return send("POST", "/graphql/" + app, new BsonDocument("query", new BsonString(query)).toJson());
    }

    /// The answer as a document.
    BsonDocument answer(String app, String query) {
        return BsonDocument.parse(ask(app, query).body());
    }
}
