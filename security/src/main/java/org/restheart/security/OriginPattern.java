package org.restheart.security;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A pattern of URIs such as `https://*.example.org` or `http://localhost:*`: scheme, host, port and, for redirections,
/// path are compared one by one after parsing, so that no part can be mistaken for another. `*` matches any characters
/// of its part; everything else is literal.
public final class OriginPattern {
    private static final Pattern FORM =
            Pattern.compile("([a-z*][a-z0-9+.*-]*)://(\\[[^]/]*]|[^/:?#@]*)(?::([0-9*]*))?(/.*)?");

    private static final Pattern DOTS = Pattern.compile("(?i)/(\\.|%2e){1,2}(/|$)");

    private final Pattern scheme;
    private final Pattern host;
    private final Pattern port;
    private final Optional<String> path;

    private OriginPattern(Pattern scheme, Pattern host, Pattern port, Optional<String> path) {
        this.scheme = scheme;
        this.host = host;
        this.port = port;
        this.path = path;
    }

    /// @throws IllegalArgumentException if it is not a pattern of URIs
    public static OriginPattern parse(String text) {
        var matcher = FORM.matcher(lowerUntilPath(text));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a pattern of origins, such as https://*.example.org: " + text);
        }
        var port = matcher.group(3);
        return new OriginPattern(
                glob(matcher.group(1), "[^/]*"),
                glob(matcher.group(2), "[^/]*"),
                port(port == null ? "" : port),
                Optional.ofNullable(matcher.group(4)));
    }

    private static String lowerUntilPath(String text) {
        int authority = text.indexOf("://");
        int path = authority < 0 ? -1 : text.indexOf('/', authority + 3);
        return path < 0
                ? text.toLowerCase(Locale.ROOT)
                : text.substring(0, path).toLowerCase(Locale.ROOT) + text.substring(path);
    }

    private static Pattern glob(String text, String any) {
        return Pattern.compile(
                Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(any)));
    }

    private static Pattern port(String text) {
        return Pattern.compile(text.equals("*") ? "[0-9]+" : text.replace("*", "[0-9]*"));
    }

    /// Whether an `Origin` field matches one of the patterns.
    public static Predicate<String> anyOf(List<OriginPattern> patterns) {
        return origin -> patterns.stream().anyMatch(known -> known.matchesOrigin(origin));
    }

    /// Whether a URI, such as one of a redirection, is one of these. URIs without an authority, such as
    /// `com.example.app:/done` (RFC 8252, 7.1), are compared as they are.
    ///
    /// @param allowed patterns with `scheme://`, or exact URIs
    /// @throws IllegalArgumentException for any other text
    public static Predicate<String> anyUriOf(List<String> allowed) {
        var patterns = allowed.stream()
                .filter(uri -> uri.contains("://"))
                .map(OriginPattern::parse)
                .toList();
        return sent -> patterns.stream().anyMatch(pattern -> pattern.matchesUri(sent))
                || (!sent.contains("://") && allowed.contains(sent));
    }

    /// Whether the pattern matches an `Origin` field, which has neither path nor query.
    public boolean matchesOrigin(String origin) {
        return parts(origin)
                .filter(uri -> path(uri).isEmpty() && uri.getRawQuery() == null)
                .filter(this::matchesAuthority)
                .isPresent();
    }

    /// Whether the pattern matches a URI. A pattern without a path matches every path; a pattern with one matches that
    /// path and those below it, or, if it contains `*`, the whole path and query.
    public boolean matchesUri(String uri) {
        return parts(uri)
                .filter(this::matchesAuthority)
                .filter(this::matchesPath)
                .isPresent();
    }

    private boolean matchesAuthority(URI uri) {
        var named = uri.getScheme().toLowerCase(Locale.ROOT);
        return scheme.matcher(named).matches()
                && host.matcher(uri.getHost().toLowerCase(Locale.ROOT)).matches()
                && matchesPort(named, uri.getPort());
    }

    /// Browsers leave out the port that a scheme has by default; patterns may name it.
    ///
    /// @param explicit negative if there is none
    private boolean matchesPort(String named, int explicit) {
        int byDefault = switch (named) {
            case "http" -> 80;
            case "https" -> 443;
            default -> -1;
        };
        if (explicit >= 0 && explicit != byDefault) {
            return port.matcher(Integer.toString(explicit)).matches();
        }
        return Stream.of("", Integer.toString(byDefault))
                .anyMatch(text -> port.matcher(text).matches());
    }

    private boolean matchesPath(URI uri) {
        if (path.isEmpty()) {
            return true;
        }
        var wanted = path.get();
        var actual = path(uri) + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
        if (wanted.contains("*")) {
            return glob(wanted, ".*").matcher(actual).matches();
        }
        var base = wanted.endsWith("/") ? wanted.substring(0, wanted.length() - 1) : wanted;
        return actual.equals(wanted)
                || actual.equals(base)
                || actual.startsWith(base + "/")
                || actual.startsWith(base + "?");
    }

    private static String path(URI uri) {
        return uri.getRawPath() == null ? "" : uri.getRawPath();
    }

    /// Absolute, with a host, without user information and fragment, and without steps upwards, which a
    /// browser would take after the comparison.
    private static Optional<URI> parts(String text) {
        try {
            var uri = new URI(text);
            boolean plain = uri.getScheme() != null
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawFragment() == null
                    && !DOTS.matcher(path(uri)).find();
            return plain ? Optional.of(uri) : Optional.empty();
        } catch (URISyntaxException _) {
            return Optional.empty();
        }
    }
}
