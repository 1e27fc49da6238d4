package org.restheart.core.service;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.core.config.CoreConfig;
import org.restheart.core.config.ProxyConfig;
import org.restheart.http.CancellableCall;
import org.restheart.http.Connection;
import org.restheart.http.Fields;
import org.restheart.http.Headers;
import org.restheart.http.Method;
import org.restheart.http.PercentCoding;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Service.Traffic;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.trace.TraceScope.TraceSpan;
import org.restheart.text.Words;

/// One entry of `proxies`: decides with which path and headers a request is handed on. Targets get neither
/// credentials that this server accepts nor headers by which a client could claim to be somebody, and only paths that
/// mean to them what they meant to access rules. Thread-safe; close it to end its health checks.
public final class ProxyService implements Service, AutoCloseable {
    /// Segments that a target may read in another way: empty ones and dot segments; separators, semicolons
    /// and control characters that were encoded; what would change if it were decoded once more.
    private static final Pattern AMBIGUOUS =
            Pattern.compile("\\.{0,2}|.*(?:[/\\\\;\\p{Cntrl}]|%\\p{XDigit}{2}).*", Pattern.DOTALL);

    private static final Pattern URL = Pattern.compile("(?<scheme>https?)://[^/]*?(?::(?<port>\\d{1,5}))?(?:/.*)?");

    /// Characters of queries that are sent as they are; others are encoded, such as those beyond ASCII.
    private static final String OF_QUERIES = "%!$&'()*+,;=:@/?[]";

    private final ProxyConfig config;
    private final TargetHeaders headers;
    private final Predicate<Connection> trusts;
    private final int depth;
    private final ProxyTargets targets;

    /// Of requests to targets: fewer than there may be in flight, so that others are served meanwhile.
    private final FairShares places;

    /// Where clients send credentials.
    ///
    /// @param headers names, such as those of API keys; in lower case
    public record Credentials(Set<String> headers, Set<String> cookies) {}

    /// @param trusts whether the peer of a connection is a proxy before this server, whose `X-Forwarded-…` count
    public ProxyService(ProxyConfig config, CoreConfig core, Credentials credentials, Predicate<Connection> trusts) {
        this.config = config;
        this.trusts = trusts;
        this.targets = new ProxyTargets(config, core);
        this.places = new FairShares(Math.max(1, core.maxInFlightRequests() / 2));
        this.headers = config.forwardCredentials()
                ? new TargetHeaders(
                        new Credentials(Set.of(), Set.of()),
                        Stream.concat(config.forwardHeaders().stream(), credentials.headers().stream())
                                .toList(),
                        trusts)
                : new TargetHeaders(credentials, config.forwardHeaders(), trusts);
        this.depth = RequestPath.parse(config.location()).segments().size();
    }

    @Override
    public String name() {
        return config.name().orElse("proxies");
    }

    @Override
    public boolean streamsContent(Request request) {
        return true;
    }

    @Override
    public Traffic traffic() {
        return Traffic.PROXY;
    }

    @Override
    public Response handle(Request request) {
        if (request.method() == Method.OPTIONS && hasContent(request.headers())) {
            // Access rules let everybody ask for options, so that browsers can: not everybody may keep targets busy.
            throw new ProblemException(ProblemCode.BAD_REQUEST, "OPTIONS takes no content here");
        }
        var path = path(request) + query(request);
        var fields = fields(request);
        var caller = CallerScope.current();
        if (!places.tryTake(caller)) {
            throw Problem.overloaded("too many requests of this client are in progress")
                    .raise();
        }
        return CancellableCall.of("proxy", () -> {
            try {
                return new ForwardedRequest(request, targets).send(path, fields);
            } finally {
                places.release(caller);
            }
        });
    }

    private static String query(Request request) {
        var query = request.query().raw();
        return query.isEmpty() ? "" : "?" + PercentCoding.encode(query, OF_QUERIES);
    }

    private Fields fields(Request request) {
        var connection = request.connection();
        var fields = headers.of(request);
        var peer = connection.peerAddress();
        fields = fields.with(
                "X-Forwarded-For",
                fields.first("X-Forwarded-For")
                        .map(before -> before + "," + peer)
                        .orElse(peer));
        var own = Map.of(
                "X-Forwarded-Proto", connection.scheme(),
                "X-Forwarded-Host", connection.hostAndPort(),
                "X-Forwarded-Port", port(connection),
                "X-Forwarded-Server", connection.host());
        for (var field : own.entrySet()) {
            boolean isContinued = trusts.test(connection) && fields.has(field.getKey());
            fields = isContinued ? fields : fields.with(field.getKey(), field.getValue());
        }
        return config.rewriteHostHeader() ? fields : fields.plus("Host", connection.hostAndPort());
    }

    /// The port that the client called, if a trusted proxy names the client; else that of the listener.
    private static String port(Connection connection) {
        var url = URL.matcher(connection.baseUrl());
        if (connection.forwardedFor().isEmpty() || !url.matches()) {
            return Integer.toString(connection.local().getPort());
        }
        var usual = url.group("scheme").equals("https") ? "443" : "80";
        return Objects.requireNonNullElse(url.group("port"), usual);
    }

    private static boolean hasContent(Headers headers) {
        return headers.has("Transfer-Encoding")
                || headers.first("Content-Length")
                        .filter(length -> !length.equals("0"))
                        .isPresent();
    }

    /// Ends health checks, and what is still sent.
    @Override
    public void close() {
        targets.close();
    }

    /// The path below the location, spelt in one way. A target might read other spellings as other paths than
    /// access rules do.
    private String path(Request request) {
        var segments = request.path().segments();
        var below = segments.subList(depth, segments.size());
        if (below.stream().anyMatch(segment -> AMBIGUOUS.matcher(segment).matches())) {
            throw new ProblemException(
                    ProblemCode.BAD_REQUEST,
                    "the path has an empty segment, a dot segment, an encoded separator, or is encoded twice");
        }
        boolean endsWithSlash = request.path().raw().endsWith("/");
        if (below.isEmpty()) {
            return endsWithSlash || config.targets().stream().allMatch(ProxyService::hasNoPath) ? "/" : "";
        }
        return RequestPath.of(below).raw() + (endsWithSlash ? "/" : "");
    }

    private static boolean hasNoPath(String url) {
        return url.replaceFirst("/+$", "").indexOf('/', url.indexOf("://") + 3) < 0;
    }

    /// The header fields with which a request is handed on to a target: those that are known to claim nothing about the
    /// client and to name no other path or method than access rules have judged, and those that the configuration
    /// names. Immutable.
    ///
    /// @param credentials are not handed on
    /// @param more that are, besides the usual ones; see [ProxyConfig#forwardHeaders]
    /// @param trusts whether the peer of a connection is a proxy whose `X-Forwarded-…` are handed on
    private record TargetHeaders(Credentials credentials, List<String> more, Predicate<Connection> trusts) {
        TargetHeaders {
            credentials = new Credentials(
                    credentials.headers().stream().map(TargetHeaders::plain).collect(Collectors.toUnmodifiableSet()),
                    credentials.cookies());
        }

        /// Of one connection (RFC 9110, 7.6.1), or kept by the server, which knows where the request ends.
        private static final Set<String> NEVER = Words.of("""
            connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer upgrade
            http2-settings content-length transfer-encoding host expect\
            """);

        /// Written by this server alone.
        private static final List<String> NEVER_PREFIXES = List.of("x-forwarded-account", "x-forwarded-jwt");

        private static final Set<String> USUAL = Words.of("""
            accept accept-charset accept-datetime accept-encoding accept-language prefer priority save-data
            content-digest content-disposition content-encoding content-language content-location content-md5
            content-range content-type digest repr-digest want-content-digest want-digest want-repr-digest
            if-match if-modified-since if-none-match if-range if-unmodified-since range cache-control pragma
            cookie date origin referer user-agent dnt sec-gpc sec-purpose upgrade-insecure-requests via
            x-requested-with x-csrf-token x-xsrf-token access-control-request-headers
            access-control-request-method idempotency-key last-event-id soapaction
            baggage b3 correlation-context request-id sentry-trace traceparent tracestate uber-trace-id
            x-amzn-trace-id x-cloud-trace-context x-correlation-id x-request-id x-trace-id\
            """);

        private static final List<String> USUAL_PREFIXES = List.of("sec-fetch-", "sec-ch-", "x-b3-", "x-datadog-");

        /// What a proxy before this server says of the client.
        private static final Set<String> OF_TRUSTED_PROXY = Words.of("""
            forwarded x-forwarded-for x-forwarded-proto x-forwarded-host x-forwarded-port x-forwarded-server
            x-forwarded-prefix x-real-ip\
            """);

        /// Of these words the rest of other `X-Forwarded-…` of clients may consist: none says who they are, where they
        /// come from or what they request.
        private static final Set<String> NEUTRAL = Words.of("""
            a b bar baz c correlation custom debug demo example experiment extra foo info lang language locale note other
            sample test theme thing time timezone trace variant version whatever x y z\
            """);

        /// Characters beyond ASCII are sent in this way.
        private static final Pattern ENCODED = Pattern.compile("%\\p{XDigit}{2}");

        /// One field of a request, however many lines it had.
        private static final Set<String> LISTS = Set.of("forwarded", "x-forwarded-for");

        Fields of(Request request) {
            var sent = request.headers();
            var ofConnection = ofConnection(sent);
            boolean trusted = trusts.test(request.connection());
            var kept = new Object() {
                Fields fields = Fields.NONE;
            };
            sent.forEach((name, value) -> {
                var lower = name.toLowerCase(Locale.ROOT);
                boolean handedOn =
                        !lower.equals("cookie") && mayPass(lower, trusted) && !ofConnection.contains(plain(name));
                if (handedOn) {
                    kept.fields = kept.fields.plus(name, ForwardedRequest.utf8(value));
                }
            });
            // in one field: a client of HTTP/2 may have sent each by itself (RFC 9113, 8.2.3)
            var cookies = withoutCredentials(String.join("; ", sent.all("Cookie")));
            if (!cookies.isEmpty() && mayPass("cookie", trusted) && !ofConnection.contains("cookie")) {
                kept.fields = kept.fields.plus("Cookie", ForwardedRequest.utf8(cookies));
            }
            var fields = kept.fields;
            if (trusted) {
                for (var list : LISTS) {
                    var values = sent.all(list);
                    fields = values.isEmpty() ? fields : fields.plus(list, String.join(", ", values));
                }
            }
            var forwarded = fields.plus(account(request));
            return request.attribute(TraceSpan.KEY)
                    .map(span -> forwarded.with("traceparent", span.traceparent()))
                    .orElse(forwarded);
        }

        private boolean mayPass(String name, boolean trusted) {
            var plain = plain(name);
            if (NEVER.contains(plain)
                    || LISTS.contains(plain)
                    || NEVER_PREFIXES.stream().anyMatch(plain::startsWith)
                    || credentials.headers().contains(plain)) {
                return false;
            }
            return USUAL.contains(name)
                    || USUAL_PREFIXES.stream().anyMatch(name::startsWith)
                    || (trusted && OF_TRUSTED_PROXY.contains(name))
                    || isNeutralForwarded(name)
                    || more.stream().anyMatch(each -> covers(each, name));
        }

        private static boolean isNeutralForwarded(String name) {
            var rest = name.startsWith("x-forwarded-") ? name.substring("x-forwarded-".length()) : "";
            return Stream.of(rest.split("-", -1)).allMatch(NEUTRAL::contains);
        }

        private static boolean covers(String pattern, String name) {
            return pattern.endsWith("*")
                    ? name.startsWith(pattern.substring(0, pattern.length() - 1))
                    : name.equals(pattern);
        }

        /// The name as targets may read it: in the variables of CGI and of what follows it, every character but letters
        /// and digits is an underscore, so `X.Forwarded_For` is `X-Forwarded-For`.
        private static String plain(String name) {
            var plain = new StringBuilder(name.toLowerCase(Locale.ROOT));
            for (int i = 0; i < plain.length(); i++) {
                char c = plain.charAt(i);
                if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) {
                    plain.setCharAt(i, '-');
                }
            }
            return plain.toString();
        }

        private static Set<String> ofConnection(Headers sent) {
            return sent.all("Connection").stream()
                    .flatMap(line -> Stream.of(line.split(",", -1)))
                    .map(name -> plain(name.strip()))
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        private String withoutCredentials(String cookies) {
            return Stream.of(cookies.split(";", -1))
                    .map(String::strip)
                    .filter(cookie ->
                            !cookie.isEmpty() && !credentials.cookies().contains(cookie.split("=", 2)[0].strip()))
                    .collect(Collectors.joining("; "));
        }

        /// @throws org.restheart.http.ProblemException 403 for a name or a role that a target would take for another
        /// one
        private static Fields account(Request request) {
            var account = request.caller().account();
            if (account.isEmpty()) {
                return Fields.NONE;
            }
            var fields = Fields.of(
                    "X-Forwarded-Account-Id", requireUnambiguous(account.get().name(), ""));
            for (var role : account.get().roles()) {
                fields = fields.plus("X-Forwarded-Account-Roles", requireUnambiguous(role, ","));
            }
            return fields;
        }

        /// The text, if the target receives it unchanged: spaces at its ends are removed there, control characters are
        /// sent as spaces.
        ///
        /// @param separator of the texts of a field, of which a target may take all lines for one list
        private static String requireUnambiguous(String text, String separator) {
            boolean changes = text.isEmpty()
                    || isSpace(text.codePointAt(0))
                    || isSpace(text.codePointBefore(text.length()))
                    || text.chars().anyMatch(Character::isISOControl)
                    || ENCODED.matcher(text).find()
                    || (!separator.isEmpty() && text.contains(separator));
            if (changes) {
                throw Problem.helpful(
                                ProblemCode.FORBIDDEN,
                                "the name or a role of this account could be taken for another one by the target: it"
                                        + " is empty, begins or ends with a space, or has a control character, an"
                                        + " encoded one (%20) or, in a role, a comma")
                        .raise();
            }
            return text;
        }

        private static boolean isSpace(int character) {
            return Character.isWhitespace(character) || Character.isSpaceChar(character);
        }
    }
}
