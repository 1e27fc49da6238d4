package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.List;
import org.restheart.http.RequestPath;

/// The path of a predicate or of a service, compared segment by segment with the value that the router and the
/// handlers use. Trailing slashes are ignored on both sides; an encoded slash in the rule (`%2F`) is part of a name.
public record PathPattern(List<String> segments) {
    static PathPattern parse(String text) {
        var segments = new ArrayList<String>();
        for (var segment : (text.startsWith("/") ? text.substring(1) : text).split("/", -1)) {
            segments.add(segment.replace("%2F", "/").replace("%2f", "/"));
        }
        while (!segments.isEmpty() && segments.getLast().isEmpty()) {
            segments.removeLast();
        }
        return new PathPattern(List.copyOf(segments));
    }

    PathPattern usual() {
        return new PathPattern(segments.stream().map(PathSpelling::segment).toList());
    }

    boolean is(RequestPath path) {
        return segments.equals(path.segments());
    }

    /// The path at which a service is configured.
    ///
    /// @param uri percent-encoded, begins with `/`
    public static PathPattern ofUri(String uri) {
        return new PathPattern(RequestPath.parse(uri).segments());
    }

    /// Whether the path is this one or below it.
    public boolean isPrefixOf(RequestPath path) {
        return RequestPath.startsWith(path.segments(), segments);
    }

    /// What follows this prefix in the decoded path: empty or from a slash on.
    String remaining(RequestPath path) {
        int at = 0;
        for (int i = 0; i < segments.size(); i++) {
            int slash = path.decoded().indexOf('/', at + 1);
            at = slash < 0 ? path.decoded().length() : slash;
        }
        return path.decoded().substring(at);
    }
}
