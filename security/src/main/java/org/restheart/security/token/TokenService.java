package org.restheart.security.token;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.data.Access;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Cors;
import org.restheart.http.IoThreadService;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.security.Authorizer;
import org.restheart.security.Challenges;
import org.restheart.security.Credentials;
import org.restheart.security.TokenManager;
import org.restheart.security.predicate.KindAttempt;
import org.restheart.security.predicate.PathPattern;

/// `/token`: issues tokens (`GET`, `POST`), revokes them (`DELETE`), sets them as a cookie (`POST /token/cookie`) or
/// redirects the browser with them (`GET /token/redirect`). Public, because it sends its own `401`.
public record TokenService(
        Settings settings,
        Optional<TokenManager> tokens,
        Optional<TokenCookie> cookie,
        Optional<PkceCodeGrant> codes,
        Optional<ResourceGrant> limits)
        implements IoThreadService {
    private static final String HEADERS = "Auth-Token, Auth-Token-Valid-Until, Auth-Token-Location";
    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /// @param bearer whether a cookie's token is a bearer token; otherwise it replaces a password
    public record Settings(String uri, Optional<String> redirect, boolean bearer) {}

    @Override
    public Cors cors(Request request) {
        return new Cors(Cors.DEFAULT.allowMethods(), Cors.DEFAULT_HEADERS, HEADERS);
    }

    @Override
    public Request prepare(Request request) {
        return switch (below(request)) {
            case "", "/cookie" ->
                FormCredentials.of(request)
                        .map(form -> FormCredentials.asBasic(request, form))
                        .orElse(request);
            default -> request;
        };
    }

    private String below(Request request) {
        var path = request.path().decoded();
        return path.startsWith(settings.uri()) ? path.substring(settings.uri().length()) : path;
    }

    @Override
    public Response handle(Request request) {
        return switch (below(request)) {
            case "" -> token(request);
            case "/cookie" -> {
                request.requireMethod(Method.POST);
                yield issuing(request, (manager, issued, _) -> cookie(manager, issued));
            }
            case "/redirect" -> {
                request.requireMethod(Method.GET);
                yield redirect(request);
            }
            default ->
                authenticated(request, (_, _, _) -> {
                    throw Problem.of(ProblemCode.NOT_FOUND).raise();
                });
        };
    }

    private Response token(Request request) {
        return switch (request.method()) {
            case GET -> issuing(request, this::withToken);
            case POST -> post(request);
            case DELETE ->
                authenticated(request, (_, account, manager) -> {
                    manager.invalidate(request, account, request.require(Credentials.KEY));
                    return Response.status(204);
                });
            case HEAD, PUT, PATCH, OPTIONS ->
                throw Problem.notAllowed("GET, POST, DELETE").raise();
        };
    }

    private Response post(Request request) {
        if (request.caller().account().isEmpty() && codes.isPresent()) {
            var form = FormCredentials.of(request).filter(TokenService::isCode);
            if (form.isPresent()) {
                return noStore(codes.get().exchange(request, form.get()));
            }
        }
        return issuing(request, this::withToken);
    }

    private static boolean isCode(Query form) {
        return form.first("grant_type").filter("authorization_code"::equals).isPresent();
    }

    private interface Answer {
        Response.Ready to(Request request, Account account, TokenManager manager);
    }

    private Response authenticated(Request request, Answer answer) {
        var account = request.caller().account();
        if (account.isEmpty()) {
            var form = request.method() == Method.POST
                    ? ", or as a form with grant_type=password, username and password, or as JSON with the latter two"
                    : "";
            throw Challenges.unauthorized(request, "Basic realm=\"RESTHeart\"", form)
                    .raise();
        }
        request.require(Credentials.KEY).requireLogIn();
        return answer.to(
                request,
                account.get(),
                tokens.orElseThrow(() -> Problem.helpful(
                                ProblemCode.NOT_IMPLEMENTED,
                                "this server makes no tokens: its configuration has no token manager, such as"
                                        + " jwtTokenManager")
                        .raise()));
    }

    private interface WithToken {
        Response.Ready to(TokenManager manager, TokenManager.Issued issued, BsonDocument limits);
    }

    private Response issuing(Request request, WithToken answer) {
        return authenticated(request, (_, account, manager) -> {
            var form = FormCredentials.fields(request).orElse(Query.NONE);
            var asked = limits.map(known -> known.claims(
                            request, all(request.query(), form, "resource"), all(request.query(), form, "scope")))
                    .orElse(Optional.of(new BsonDocument()));
            if (asked.isEmpty()) {
                return noStore(OAuthError.response(400, "invalid_target", "this server has no such resource"));
            }
            var issued = manager.issue(
                    request,
                    account,
                    request.require(Credentials.KEY),
                    request.query().has("renew"),
                    asked.get());
            return answer.to(manager, issued, asked.get());
        });
    }

    private static List<String> all(Query query, Query form, String name) {
        return Stream.concat(query.all(name).stream(), form.all(name).stream()).toList();
    }

    private Response.Ready withToken(TokenManager manager, TokenManager.Issued issued, BsonDocument granted) {
        var body = new BsonDocument("access_token", new BsonString(issued.token()))
                .append("token_type", new BsonString(manager.type()))
                .append("expires_in", new BsonInt64(secondsLeft(issued)))
                .append("username", new BsonString(issued.account().name()))
                .append("roles", BsonTexts.array(issued.account().roles()));
        if (granted.containsKey("scope")) {
            body.append("scope", granted.get("scope"));
        }
        body.append("expires_at", new BsonString(MILLIS.format(issued.validUntil())))
                .append("renewal", new BsonString("POST " + settings.uri() + "?renew"));
        return noStore(withFields(Response.json(200, body.toJson()), manager, issued));
    }

    private static long secondsLeft(TokenManager.Issued issued) {
        return Math.max(0, Instant.now().until(issued.validUntil(), ChronoUnit.SECONDS));
    }

    private static Response.Ready withFields(
            Response.Ready response, TokenManager manager, TokenManager.Issued issued) {
        return response.with("Auth-Token", issued.token())
                .with("Auth-Token-Valid-Until", MILLIS.format(issued.validUntil()))
                .with("Auth-Token-Location", manager.location(issued.account()));
    }

    /// A response with a token must not be cached (RFC 6749, 5.1).
    private static Response.Ready noStore(Response.Ready response) {
        return response.with("Cache-Control", "no-store").with("Pragma", "no-cache");
    }

    private Response.Ready cookie(TokenManager manager, TokenManager.Issued issued) {
        var body = new BsonDocument("authenticated", BsonBoolean.TRUE)
                .append("username", new BsonString(issued.account().name()))
                .append("roles", BsonTexts.array(issued.account().roles()));
        var response = noStore(Response.json(200, body.toJson()));
        if (cookie.isEmpty()) {
            return response;
        }
        var credentials = settings.bearer()
                ? AuthorizationHeader.bearer(issued.token())
                : AuthorizationHeader.basic(issued.account().name(), issued.token());
        var withCookie = response.with("Set-Cookie", cookie.get().set(credentials));
        return cookie.get().exposesToken() ? withFields(withCookie, manager, issued) : withCookie;
    }

    private Response redirect(Request request) {
        if (settings.redirect().isEmpty()) {
            return authenticated(
                    request,
                    (_, _, _) -> noStore(OAuthError.response(
                            400, "invalid_request", "no redirect-url configured for /token/redirect")));
        }
        return issuing(request, (manager, issued, limits) -> {
            var fragment = "access_token=" + URLEncoder.encode(issued.token(), StandardCharsets.UTF_8) + "&token_type="
                    + URLEncoder.encode(manager.type(), StandardCharsets.UTF_8) + "&expires_in=" + secondsLeft(issued);
            return withToken(manager, issued, limits)
                    .withStatus(307)
                    .with("Location", settings.redirect().get() + "#" + fragment);
        });
    }

    /// Authorizes requests to this service, if it is secured: every account may use it, and every caller may request a
    /// token.
    public static final class Rules implements Authorizer {
        private final PathPattern uri;

        public Rules(String uri) {
            this.uri = PathPattern.ofUri(uri);
        }

        @Override
        public boolean requiresAuthentication(Request request) {
            return !(concerns(request) && request.method() == Method.POST);
        }

        @Override
        public Optional<Access> authorize(Request request, @Nullable Account account) {
            return concerns(request) ? Optional.of(new Access.Root()) : Optional.empty();
        }

        @Override
        public List<RuleDecision> ask(Request example, KindAttempt attempt) {
            boolean asks = attempt.account() != null || example.method() == Method.POST;
            return List.of(
                    RuleDecision.of("token service", asks ? attempt.kind().isBelow(uri.segments()) : Decision.NEVER));
        }

        private boolean concerns(Request request) {
            return uri.isPrefixOf(request.path());
        }
    }
}
