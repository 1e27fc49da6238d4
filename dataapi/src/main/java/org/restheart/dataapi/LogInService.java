package org.restheart.dataapi;

import static org.restheart.bson.BsonValues.object;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Cors;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.attribute.Key;
import org.restheart.http.module.LogIns;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;

/// `POST /api/client/v2.0/app/{appId}/auth/providers/{provider}/login`: exchanges credentials in the content for an
/// access token and a refresh token. Thread-safe.
public final class LogInService implements Service {
    public static final String URI = "/api/client/v2.0/app";

    private static final List<String> SEGMENTS = RequestPath.parse(URI).segments();
    private static final int MAX_QUOTED = 50;
    private static final int MAX_CONTENT = 32 << 10;
    private static final String ANONYMOUS = "anon-user";
    private static final Map<String, LogIns.Provider> PROVIDERS = Map.of(
            "local-userpass", LogIns.Provider.PASSWORD,
            "api-key", LogIns.Provider.API_KEY,
            "custom-token", LogIns.Provider.TOKEN);
    private static final Cors CORS = new Cors("POST", Cors.DEFAULT_HEADERS, "");

    private final DataApiConfig config;
    private final LogIns logIns;
    private final Errors errors;

    public LogInService(DataApiConfig config, LogIns logIns) {
        this.config = config;
        this.logIns = logIns;
        this.errors = new Errors(config.linkBase());
    }

    @Override
    public Cors cors(Request request) {
        return CORS;
    }

    /// Which credentials the content has, or why it has none.
    private record Sent(Optional<CredentialHeaders> credentials, Optional<Refusal> refusal) {
        static final Key<Sent> KEY = Key.named("sent log-in");
    }

    /// The request with the credentials of its content in the headers that the gateway reads, and without others.
    public static Request located(Request request) {
        var sent = provider(request.path())
                .flatMap(name -> Optional.ofNullable(PROVIDERS.get(name)))
                .map(provider -> sent(request, provider))
                .orElseGet(() -> new Sent(Optional.empty(), Optional.empty()));
        return request.with(sent.credentials()
                        .orElseGet(() -> new CredentialHeaders(request.headers(), Optional.empty(), Optional.empty())))
                .with(Sent.KEY, sent);
    }

    private static Sent sent(Request request, LogIns.Provider provider) {
        try {
            var content = content(request);
            var authorization = switch (provider) {
                case PASSWORD ->
                    Optional.of(AuthorizationHeader.basic(member(content, "username"), member(content, "password"))
                            .line());
                case TOKEN ->
                    Optional.of(
                            AuthorizationHeader.bearer(member(content, "token")).line());
                case API_KEY -> Optional.<String>empty();
            };
            var key = provider == LogIns.Provider.API_KEY
                    ? Optional.of(member(content, "key"))
                    : Optional.<String>empty();
            return new Sent(
                    Optional.of(new CredentialHeaders(request.headers(), authorization, key)), Optional.empty());
        } catch (Refusal refusal) {
            return new Sent(Optional.empty(), Optional.of(refusal));
        }
    }

    private static BsonDocument content(Request request) {
        if (request.body().isLongerThan(MAX_CONTENT)) {
            throw new Refusal(413, "InvalidParameter", "more than " + MAX_CONTENT + " bytes");
        }
        try {
            return JsonParser.parseDocument(request.body().bytes());
        } catch (MalformedJsonException malformed) {
            throw Refusal.parameter("Failed to parse request body: " + malformed.getMessage());
        }
    }

    private static String member(BsonDocument content, String name) {
        if (content.get(name) instanceof BsonString text && !text.getValue().isEmpty()) {
            return text.getValue();
        }
        throw new Refusal(400, "MissingParameter", "Failed to log in: must provide a '" + name + "' field");
    }

    /// Empty for an unknown address.
    private static Optional<String> provider(RequestPath path) {
        var segments = path.segments();
        int at = SEGMENTS.size();
        boolean fits = segments.size() == at + 5
                && segments.get(at + 1).equals("auth")
                && segments.get(at + 2).equals("providers")
                && segments.get(at + 4).equals("login");
        return fits ? Optional.of(segments.get(at + 3)) : Optional.empty();
    }

    private boolean isApp(Request request) {
        return config.appIds().isEmpty()
                || config.appIds().contains(request.path().segments().get(SEGMENTS.size()));
    }

    @Override
    public Response handle(Request request) {
        request.requireThread();
        var name = provider(request.path()).filter(_ -> isApp(request)).orElse("");
        var provider = Optional.ofNullable(PROVIDERS.get(name));
        if (provider.isEmpty() && !name.equals(ANONYMOUS)) {
            return Errors.unknown(request, name.isEmpty() ? "there is no such app" : unknown(name));
        }
        if (request.method() != Method.POST) {
            throw Problem.notAllowed(CORS.allowMethods()).raise();
        }
        var refusal = request.require(Sent.KEY).refusal();
        if (refusal.isPresent()) {
            return errors.answer(request, refusal.get());
        }
        if (provider.isEmpty()) {
            return logIns.beginAnonymously(request)
                    .map(LogInService::answer)
                    .orElseGet(() -> Errors.unknown(
                            request, "there are no anonymous sessions: anonymous-account names no account"));
        }
        return logIns.begin(request, provider.get())
                .map(LogInService::answer)
                .orElseGet(() -> errors.answer(request, CredentialHeaders.rejected()));
    }

    private static String unknown(String provider) {
        var name = ShortText.of(provider, MAX_QUOTED);
        return "there is no provider " + name + Nearest.question(name, PROVIDERS.keySet());
    }

    private static Response.Ready answer(LogIns.Session session) {
        return SessionService.secret(object(
                "access_token", session.accessToken(),
                "refresh_token", session.refreshToken(),
                "user_id", session.userId()));
    }
}
