package org.restheart.core.graphql;

import java.net.http.HttpResponse;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestClient;

/// Sends definitions and queries.
record GraphqlClient(ConformanceGateway gateway, String user) {
    TestClient client() {
        return gateway.as(user);
    }

    HttpResponse<String> send(String method, String path, String body) {
        return client().json(method, path, body);
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
