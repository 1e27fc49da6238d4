package org.restheart.security.token;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Response;

/// Errors in the format of OAuth (RFC 6749, 5.2).
final class OAuthError {
    private OAuthError() {}

    static Response.Ready response(int status, String error, String description) {
        return Response.json(
                status,
                new BsonDocument("error", new BsonString(error))
                        .append("error_description", new BsonString(description))
                        .toJson());
    }
}
