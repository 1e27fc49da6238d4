package org.restheart.security.token;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.IoThreadService;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// `POST /register` (RFC 7591): assigns an id to a client. Nothing is stored: users authorize clients, and the
/// configuration determines where codes are sent. Public.
public final class ClientRegistrationService implements IoThreadService {
    private static final String INVALID = "invalid_client_metadata";
    private static final int MAX_CONTENT = 64 * 1024;

    @Override
    public Response handle(Request request) {
        request.requireMethod(Method.POST);
        if (request.body().isLongerThan(MAX_CONTENT)) {
            return OAuthError.response(413, INVALID, "the content is longer than " + MAX_CONTENT + " bytes");
        }
        BsonValue content;
        try {
            content = JsonParser.parse(request.body().bytes());
        } catch (MalformedJsonException _) {
            return OAuthError.response(400, INVALID, "the content is not JSON");
        }
        if (!(content instanceof BsonDocument client) || !client.containsKey("redirect_uris")) {
            return OAuthError.response(400, INVALID, "redirect_uris is required");
        }
        if (BsonTexts.only(client.get("redirect_uris"))
                .filter(uris -> !uris.isEmpty())
                .isEmpty()) {
            return OAuthError.response(400, INVALID, "redirect_uris must be a list of URIs");
        }
        return registered(client);
    }

    private static Response registered(BsonDocument client) {
        var answer = new BsonDocument(
                        "client_id", new BsonString(UUID.randomUUID().toString()))
                .append("client_id_issued_at", new BsonInt64(Instant.now().getEpochSecond()))
                .append("redirect_uris", client.get("redirect_uris"))
                .append(
                        "token_endpoint_auth_method",
                        client.get("token_endpoint_auth_method") instanceof BsonString method
                                ? method
                                : new BsonString("none"))
                .append("grant_types", BsonTexts.array(List.of("authorization_code")))
                .append("response_types", BsonTexts.array(List.of("code")));
        if (client.get("client_name") instanceof BsonString name) {
            answer.append("client_name", name);
        }
        return Response.json(201, answer.toJson());
    }
}
