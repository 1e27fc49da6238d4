package org.restheart.graphql;

import graphql.ErrorType;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.Response;

/// Responses with a single error.
final class GraphqlErrors {
    static final String MEDIA_TYPE = "application/graphql-response+json";

    private GraphqlErrors() {}

    static Response.Ready response(int status, String message, ErrorType type) {
        var out = new Utf8Buffer();
        JsonEncoder.of(JsonMode.DEFAULT).encode(body(message, type), out);
        return Response.status(status).with(MEDIA_TYPE, new Content.Bytes(out.toByteBuffer()));
    }

    static BsonDocument body(String message, ErrorType type) {
        var error = new BsonDocument("message", new BsonString(message))
                .append("locations", new BsonArray())
                .append("extensions", new BsonDocument("classification", new BsonString(type.name())));
        return new BsonDocument("errors", new BsonArray(List.of(error)));
    }
}
