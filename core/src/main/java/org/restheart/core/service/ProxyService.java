package org.restheart.core.service;

import java.util.Set;
import java.util.regex.Pattern;
import org.restheart.core.config.ProxyConfig;
import org.restheart.http.Content;
import org.restheart.http.Headers;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Traffic;
import org.restheart.http.access.CallerScope;

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
}
