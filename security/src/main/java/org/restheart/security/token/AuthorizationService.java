package org.restheart.security.token;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.restheart.http.IoThreadService;
import org.restheart.http.Problem;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.attribute.Key;
import org.restheart.security.Challenges;
import org.restheart.security.Credentials;
import org.restheart.security.Credentials.Lineage;
import org.restheart.security.jwt.Jwt.JwtSigner;
import org.restheart.security.realm.Generations;

/// `/authorize` (RFC 6749, 4.1.1): `GET` redirects the browser to the log-in page, `POST` with the password redirects
/// it to the client with a code. Public, because it sends its own `401`.
public record AuthorizationService(
        Settings settings, JwtSigner signer, Generations accounts, Optional<ResourceGrant> resources)
        implements IoThreadService {
    private static final Duration CODE_LIFETIME = Duration.ofMinutes(5);
    private static final Key<Boolean> FROM_FORM = Key.named("credentials from a form");

    /// @param issuer named in responses to clients, if it has metadata
    public record Settings(
            Optional<String> loginUrl,
            Predicate<String> redirects,
            List<String> propertyClaims,
            Optional<BaseUrl> issuer) {}

    @Override
    public Request prepare(Request request) {
        return FormCredentials.of(request)
                .filter(form -> form.has("username"))
                .map(form -> FormCredentials.with(request, form, "username", "password")
                        .with(FROM_FORM, true))
                .orElse(request);
    }

    @Override
    public Response handle(Request request) {
        return switch (request.method()) {
            case GET -> ask(request.query());
            case POST -> answer(request);
            case HEAD, PUT, PATCH, DELETE, OPTIONS ->
                throw Problem.notAllowed("GET, POST").raise();
        };
    }

    private Response.Ready ask(Query query) {
        if (settings.loginUrl.isEmpty()) {
            return OAuthError.response(500, "server_error", "login-url is not configured");
        }
        if (!isCode(query)) {
            return OAuthError.response(400, "unsupported_response_type", "response_type must be code");
        }
        var problem = redirectProblem(query).or(() -> challengeProblem(query));
        return problem.map(text -> OAuthError.response(400, "invalid_request", text))
                .orElseGet(() -> to(with(settings.loginUrl.get(), query)));
    }

    private static boolean isCode(Query query) {
        return query.first("response_type").filter("code"::equals).isPresent();
    }

    private Optional<String> redirectProblem(Query query) {
        var uri = query.first("redirect_uri").filter(text -> !text.isEmpty());
        if (uri.isEmpty()) {
            return Optional.of("redirect_uri is required");
        }
        return settings.redirects.test(uri.get())
                ? Optional.empty()
                : Optional.of("redirect_uri is not in the allowed list");
    }

    private static Optional<String> challengeProblem(Query query) {
        if (query.first("code_challenge").filter(text -> !text.isEmpty()).isEmpty()) {
            return Optional.of("code_challenge is required");
        }
        return query.first("code_challenge_method").filter("S256"::equals).isPresent()
                ? Optional.empty()
                : Optional.of("code_challenge_method must be S256");
    }

    private Response.Ready answer(Request request) {
        var query = request.query();
        var refused = redirectProblem(query);
        if (refused.isPresent()) {
            return OAuthError.response(400, "invalid_request", refused.get());
        }
        var account = request.caller().account();
        if (account.isEmpty()) {
            if (request.attribute(FROM_FORM).isPresent() && settings.loginUrl.isPresent()) {
                return to(with(with(settings.loginUrl.get(), "error", "invalid_credentials"), query));
            }
            throw Challenges.unauthorized(request, "Basic realm=\"RESTHeart\"", "")
                    .raise();
        }
        request.require(Credentials.KEY).requireLogIn();
        var redirect = query.first("redirect_uri").orElseThrow();
        var problem = challengeProblem(query);
        if (problem.isPresent()) {
            return back(request, redirect, "error", "invalid_request", "error_description", problem.get());
        }
        var limits = resources.map(grant -> grant.ofCode(request, query)).orElse(Optional.of(new BsonDocument()));
        if (limits.isEmpty()) {
            return back(request, redirect, "error", "invalid_target", "error_description", ResourceGrant.WRONG);
        }
        var lineage = accounts.of(request, account.get(), request.require(Credentials.KEY));
        return back(request, redirect, "code", code(request, account.get(), lineage, redirect, limits.get()));
    }

    private String code(
            Request request, Account account, Optional<Lineage> lineage, String redirect, BsonDocument limits) {
        var query = request.query();
        var claims = TokenClaims.of(account, settings.propertyClaims, lineage.isPresent());
        PkceCodeGrant.OF_THE_CODE.forEach(claims::remove);
        claims.append("cc", new BsonString(query.first("code_challenge").orElseThrow()))
                .append("ccm", new BsonString("S256"))
                .append("ruri", new BsonString(redirect))
                .append("cid", new BsonString(query.first("client_id").orElse("")));
        if (lineage.isEmpty()) { // such an account exists only as long as the token that it was authenticated with
            request.require(Credentials.KEY)
                    .expires()
                    .ifPresent(end -> claims.append(PkceCodeGrant.END_CLAIM, new BsonInt64(end.getEpochSecond())));
        }
        claims.putAll(limits);
        return signer.signCode(account.name(), CODE_LIFETIME, claims, lineage).token();
    }

    /// Names the issuer (RFC 9207), so that a client of several servers detects the response of another.
    private Response.Ready back(Request request, String redirect, String... namesAndValues) {
        var all = new ArrayList<>(List.of(namesAndValues));
        settings.issuer.ifPresent(base -> all.addAll(List.of("iss", base.of(request))));
        request.query().first("state").ifPresent(state -> all.addAll(List.of("state", state)));
        return to(with(redirect, all.toArray(String[]::new)));
    }

    private static Response.Ready to(String location) {
        return Response.status(302).with("Location", location).with("Cache-Control", "no-store");
    }

    /// The URL with further parameters.
    private static String with(String url, String... namesAndValues) {
        var pairs = new ArrayList<String>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            pairs.add(encode(namesAndValues[i]) + "=" + encode(namesAndValues[i + 1]));
        }
        return with(url, pairs);
    }

    /// With all parameters of a query, encoded anew and sorted by name.
    private static String with(String url, Query query) {
        var pairs = new ArrayList<String>();
        query.names().stream()
                .sorted()
                .forEach(name -> query.all(name).forEach(value -> pairs.add(encode(name) + "=" + encode(value))));
        return with(url, pairs);
    }

    private static String with(String url, List<String> pairs) {
        return pairs.isEmpty() ? url : url + (url.contains("?") ? "&" : "?") + String.join("&", pairs);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
