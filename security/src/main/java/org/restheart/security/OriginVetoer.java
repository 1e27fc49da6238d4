package org.restheart.security;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.predicate.Attempt;
import org.restheart.security.predicate.Predicate;

/// Refuses requests of scripts from origins that are not listed. Browsers send `Origin`, other clients may omit it.
public final class OriginVetoer implements Vetoer {
    private final List<String> origins;
    private final List<OriginPattern> patterns;
    private final List<Predicate> ignored;
    private final boolean allowsMissing;

    /// @param origins exact, but for case and a slash at the end
    public OriginVetoer(
            List<String> origins, List<OriginPattern> patterns, List<Predicate> ignored, boolean allowsMissing) {
        this.origins = origins.stream().map(OriginVetoer::normal).toList();
        this.patterns = List.copyOf(patterns);
        this.ignored = List.copyOf(ignored);
        this.allowsMissing = allowsMissing;
    }

    @Override
    public boolean vetoes(Request request, @Nullable Account account) {
        var origin = request.headers().first("Origin");
        boolean isPreflight = request.method() == Method.OPTIONS
                && origin.isPresent()
                && request.headers().has("Access-Control-Request-Method");
        if (isPreflight || (origins.isEmpty() && patterns.isEmpty()) || isIgnored(request)) {
            return false;
        }
        return origin.map(OriginVetoer::normal)
                .map(sent -> !origins.contains(sent) && patterns.stream().noneMatch(known -> known.matchesOrigin(sent)))
                .orElse(!allowsMissing);
    }

    private boolean isIgnored(Request request) {
        return ignored.stream().anyMatch(predicate -> new Attempt(request, null, false).holds(predicate));
    }

    private static String normal(String origin) {
        var lower = origin.toLowerCase(Locale.ROOT);
        return lower.endsWith("/") ? lower.substring(0, lower.length() - 1) : lower;
    }
}
