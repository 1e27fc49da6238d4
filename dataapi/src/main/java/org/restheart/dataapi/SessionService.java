package org.restheart.dataapi;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Cors;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.module.LogIns;

/// `/api/client/v2.0/auth/session`, with a refresh token as bearer token: `POST` gives a new access token,
/// `DELETE` ends the session. Thread-safe.
public final class SessionService implements Service {
    public static final String URI = "/api/client/v2.0/auth/session";

    private static final Cors CORS = new Cors("POST, DELETE", Cors.DEFAULT_HEADERS, "");

    private final LogIns logIns;
    private final Errors errors;

    public SessionService(DataApiConfig config, LogIns logIns) {
        this.logIns = logIns;
        this.errors = new Errors(config.linkBase());
    }

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    @Override
    public Response handle(Request request) {
        request.requireThread();
        return switch (request.method()) {
            case POST, DELETE ->
                request.caller().account().isEmpty()
                        ? errors.answer(request, CredentialHeaders.refusal(request.headers()))
                        : answer(request);
            default -> throw Problem.notAllowed(CORS.allowMethods()).raise();
        };
    }

    private Response answer(Request request) {
        if (request.method() == Method.DELETE) {
            logIns.end(request);
            return Response.status(204);
        }
        return logIns.renew(request)
                .<Response>map(token -> secret(new BsonDocument("access_token", new BsonString(token))))
                .orElseGet(() -> errors.answer(request, CredentialHeaders.rejected()));
    }

    static Response.Ready secret(BsonDocument tokens) {
        return Response.json(200, JsonEncoder.of(JsonMode.RELAXED).encodeToString(tokens))
                .with("Content-Type", "application/json")
                .with("Cache-Control", "no-store");
    }
}
