package org.restheart.security.oauth;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.restheart.security.guard.OriginPattern;

/// Where authorization codes may be sent. Immutable.
public final class RedirectUris {
    private final List<OriginPattern> patterns = new ArrayList<>();
    /// URIs without an authority, such as `com.example.app:/done` (RFC 8252, 7.1).
    private final Set<String> exact = new HashSet<>();

    /// @param allowed patterns with `scheme://`, or exact URIs
    /// @throws IllegalArgumentException for any other text
    public RedirectUris(List<String> allowed) {
        for (var uri : allowed) {
            if (uri.contains("://")) {
                patterns.add(OriginPattern.parse(uri));
            } else {
                exact.add(uri);
            }
        }
    }

    boolean allow(String uri) {
        return exact.contains(uri) || patterns.stream().anyMatch(pattern -> pattern.matchesUri(uri));
    }
}
