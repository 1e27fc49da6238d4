package org.restheart.core.service;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.core.config.ProxyConfig;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.Headers;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Service.Traffic;
import org.restheart.http.Words;
import org.restheart.http.access.CallerScope;
import org.restheart.http.trace.TraceScope.TraceSpan;

/// One entry of `proxies`: decides with which path and headers a request is handed on. Targets get neither
/// credentials that this server accepts nor account headers that it has not written, and only paths that mean
/// to them what they meant to access rules. Immutable.
public final class ProxyService implements Service {
    /// Segments that a target may read in another way: empty ones and dot segments; separators, semicolons
    /// and control characters that were encoded; what would change if it were decoded once more.
    private static final Pattern AMBIGUOUS =
            Pattern.compile("\\.{0,2}|.*(?:[/\\\\;\\p{Cntrl}]|%\\p{XDigit}{2}).*", Pattern.DOTALL);

    private final ProxyConfig config;
    private final TargetHeaders headers;
    private final int depth;

    /// Where clients send credentials.
    ///
    /// @param headers names, such as those of API keys; in lower case
    /// @param cookies names
    public record Credentials(Set<String> headers, Set<String> cookies) {}

    /// @param trusted whether `X-Forwarded-…` of clients are those of a proxy before this server
    public ProxyService(ProxyConfig config, Credentials credentials, boolean trusted) {
        this.config = config;
        this.headers = new TargetHeaders(
                config.forwardCredentials() ? new Credentials(Set.of(), Set.of()) : credentials, trusted);
        this.depth = RequestPath.parse(config.location()).segments().size();
    }

    @Override
    public String name() {
        return config.name().orElse("proxies");
    }

    @Override
    public boolean forwardsContent() {
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
        return Response.status(200)
                .with(new Content.Forwarded(
                        config.location(), path(request), headers.of(request), CallerScope.current()));
    }

    private static boolean hasContent(Headers headers) {
        return headers.has("Transfer-Encoding")
                || headers.first("Content-Length")
                        .filter(length -> !length.equals("0"))
                        .isPresent();
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

    /// The header fields with which a request is handed on to a target: neither credentials that this server
    /// accepts, nor claims that only this server or a proxy before it can make, nor a path or method that
    /// access rules have not judged. Immutable.
    ///
    /// @param credentials are not handed on
    /// @param trusted whether `X-Forwarded-…` of clients are those of a proxy before this server
    private record TargetHeaders(ProxyService.Credentials credentials, boolean trusted) {
        TargetHeaders {
            credentials = new ProxyService.Credentials(
                    credentials.headers().stream().map(TargetHeaders::plain).collect(Collectors.toUnmodifiableSet()),
                    credentials.cookies());
        }

        /// About one connection (RFC 9110, 7.6.1).
        private static final Set<String> HOP_BY_HOP = Words.of("""
                connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer upgrade
                http2-settings""");

        /// Kept by the server, which knows where the request ends.
        private static final Set<String> FRAMING = Set.of("content-length", "transfer-encoding", "host", "expect");

        /// What a proxy before this server says of the client.
        private static final Set<String> OF_TRUSTED_PROXY = Words.of("""
                forwarded x-forwarded-for x-forwarded-proto x-forwarded-host x-forwarded-port x-forwarded-server
                x-forwarded-prefix x-real-ip""");

        /// Claims about the client and its account in the names of common servers.
        private static final Set<String> CLAIMS = Words.of("""
                cf-connecting-ip client-ip fastly-client-ip forwarded remote-addr remote-user true-client-ip
                x-authenticated-user x-client-ip x-cluster-client-ip x-forwarded x-real-ip x-remote-addr x-remote-group
                x-remote-ip x-remote-user x-webauth-user""");

        /// Instead of the path or the method that access rules have judged.
        private static final Set<String> OTHER_TARGETS = Words.of("""
                x-host x-http-method x-http-method-override x-method-override x-original-host x-original-method
                x-original-uri x-original-url x-rewrite-url""");

        /// The prefixes of headers by which clients could claim something: `X-Forwarded-…`, and those of common
        /// authenticating proxies and of TLS servers.
        private static final List<String> CLAIM_PREFIXES =
                List.of("x-forwarded-", "x-auth-request-", "x-client-cert", "x-ssl-", "ssl-");

        /// One field of a request, however many lines it had.
        private static final Set<String> LISTS = Set.of("forwarded", "x-forwarded-for");

        Fields of(Request request) {
            var sent = request.headers();
            var ofConnection = ofConnection(sent);
            var kept = new Object() {
                Fields fields = Fields.NONE;
            };
            sent.forEach((name, value) -> {
                var plain = plain(name);
                var text = plain.equals("cookie") ? withoutCredentials(value) : value;
                boolean dropped = HOP_BY_HOP.contains(plain)
                        || FRAMING.contains(plain)
                        || ofConnection.contains(plain)
                        || credentials.headers().contains(plain)
                        || isClaim(plain, name)
                        || LISTS.contains(plain)
                        || (plain.equals("cookie") && text.isEmpty());
                if (!dropped) {
                    kept.fields = kept.fields.plus(name, text);
                }
            });
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

        private boolean isClaim(String plain, String name) {
            if (OTHER_TARGETS.contains(plain)) {
                return true;
            }
            boolean claims = CLAIMS.contains(plain) || CLAIM_PREFIXES.stream().anyMatch(plain::startsWith);
            return claims && !(trusted && OF_TRUSTED_PROXY.contains(plain) && plain.equalsIgnoreCase(name));
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
                    || (!separator.isEmpty() && text.contains(separator));
            if (changes) {
                throw Problem.helpful(
                                ProblemCode.FORBIDDEN,
                                "the name or a role of this account could be taken for another one by the target: it is empty,"
                                        + " begins or ends with a space, or has a control character or, in a role, a comma")
                        .raise();
            }
            return text;
        }

        private static boolean isSpace(int character) {
            return Character.isWhitespace(character) || Character.isSpaceChar(character);
        }
    }
}
