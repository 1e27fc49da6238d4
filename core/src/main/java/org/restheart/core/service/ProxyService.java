package org.restheart.core.service;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.core.config.ProxyConfig;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.Headers;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Traffic;

/// One entry of `proxies`: decides with which path and headers a request is handed on. Targets get neither
/// credentials that this server accepts nor account headers that it has not written, and only paths that mean
/// to them what they meant to access rules. Immutable.
public final class ProxyService implements Service {
    /// About one connection (RFC 9110, 7.6.1).
    private static final Set<String> HOP_BY_HOP = Set.of(
            "connection",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "upgrade",
            "http2-settings");

    /// Kept by the server, which knows where the request ends.
    private static final Set<String> FRAMING = Set.of("content-length", "transfer-encoding", "host", "expect");

    private static final Set<String> FORWARDED = Set.of(
            "forwarded",
            "x-forwarded-for",
            "x-forwarded-proto",
            "x-forwarded-host",
            "x-forwarded-port",
            "x-forwarded-server");
    private static final String ACCOUNT = "x-forwarded-account-";

    private final ProxyConfig config;
    private final Credentials credentials;
    private final boolean trusted;
    private final int depth;

    /// Where clients send credentials.
    ///
    /// @param headers names, such as those of API keys; in lower case
    /// @param cookies names
    public record Credentials(Set<String> headers, Set<String> cookies) {}

    /// @param trusted whether `X-Forwarded-…` of clients are those of a proxy before this server
    public ProxyService(ProxyConfig config, Credentials credentials, boolean trusted) {
        this.config = config;
        this.credentials = config.forwardCredentials() ? new Credentials(Set.of(), Set.of()) : credentials;
        this.trusted = trusted;
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
            throw Problem.of(ProblemCode.BAD_REQUEST, "OPTIONS takes no content here")
                    .raise();
        }
        return Response.status(200).with(new Content.Forwarded(config.location(), path(request), headers(request)));
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
        if (below.stream().anyMatch(ProxyService::isAmbiguous)) {
            throw Problem.of(
                            ProblemCode.BAD_REQUEST,
                            "the path has an empty segment, a dot segment, or an encoded separator")
                    .raise();
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

    private static boolean isAmbiguous(String segment) {
        return segment.isEmpty()
                || segment.equals(".")
                || segment.equals("..")
                || segment.chars().anyMatch(c -> c == '/' || c == '\\' || c < 0x20 || c == 0x7f);
    }

    private Fields headers(Request request) {
        var sent = request.headers();
        var connection = sent.all("Connection").stream()
                .flatMap(line -> Stream.of(line.split(",", -1)))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
        var kept = new Object() {
            Fields fields = Fields.NONE;
        };
        sent.forEach((name, value) -> {
            // Some targets read X_Forwarded_For as X-Forwarded-For.
            var plain = name.toLowerCase(Locale.ROOT).replace('_', '-');
            boolean dropped = HOP_BY_HOP.contains(plain)
                    || FRAMING.contains(plain)
                    || connection.contains(plain)
                    || plain.startsWith(ACCOUNT)
                    || credentials.headers().contains(plain)
                    || (FORWARDED.contains(plain) && (!trusted || name.indexOf('_') >= 0));
            var text = plain.equals("cookie") ? withoutCredentials(value) : value;
            if (!dropped && !(plain.equals("cookie") && text.isEmpty())) {
                kept.fields = kept.fields.plus(name, text);
            }
        });
        return kept.fields.plus(account(request));
    }

    private String withoutCredentials(String cookies) {
        return Stream.of(cookies.split(";", -1))
                .map(String::strip)
                .filter(cookie -> !cookie.isEmpty() && !credentials.cookies().contains(cookie.split("=", 2)[0].strip()))
                .collect(Collectors.joining("; "));
    }

    private static Fields account(Request request) {
        var account = request.caller().account();
        if (account.isEmpty()) {
            return Fields.NONE;
        }
        var fields = Fields.of("X-Forwarded-Account-Id", account.get().name());
        for (var role : List.copyOf(account.get().roles())) {
            fields = fields.plus("X-Forwarded-Account-Roles", role);
        }
        return fields;
    }
}
