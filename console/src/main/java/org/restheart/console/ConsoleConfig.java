package org.restheart.console;

import static org.restheart.bson.BsonValues.object;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.Method;
import org.restheart.http.parameter.DataParameter;

/// `console` of the configuration.
///
/// @param uri the path to which it is bound
/// @param title of the page
/// @param banner above every page
/// @param readOnly whether actions that write are hidden; a convenience, not a protection
/// @param pages which of [#PAGES] are shown
public record ConsoleConfig(String uri, String title, Optional<Banner> banner, boolean readOnly, List<String> pages) {
    /// All pages.
    public static final List<String> PAGES = List.of(
            "documents",
            "aggregations",
            "live",
            "schema",
            "indexes",
            "import",
            "export",
            "properties",
            "access",
            "api",
            "try",
            "metrics");

    public static final List<String> COLORS = List.of("red", "amber", "green", "blue", "grey");

    /// A line that names the environment, such as "PRODUCTION".
    ///
    /// @param color one of [#COLORS]
    public record Banner(String text, String color) {}

    /// Paths of the services that the console uses; empty for disabled ones.
    ///
    /// @param version of the gateway
    /// @param cookieSessions empty where sessions may not be kept in the cookie
    public record ServicePaths(
            String version,
            Optional<String> api,
            Optional<String> token,
            Optional<String> openapi,
            Optional<String> access,
            Optional<String> metrics,
            Optional<String> mcp,
            Optional<String> dataApi,
            Optional<String> apiKeys,
            Optional<CookieSessions> cookieSessions) {}

    /// Sessions that outlast a reload of the page.
    ///
    /// @param logout where they end
    /// @param lifetime without use
    public record CookieSessions(String logout, Duration lifetime) {}

    /// `config.json`: contains neither data nor secrets.
    BsonDocument toDocument(ServicePaths paths) {
        var shownBanner = banner.<BsonValue>map(line -> object("text", line.text, "color", line.color))
                .orElse(BsonNull.VALUE);
        var cookie = object("usable", paths.cookieSessions.isPresent());
        paths.cookieSessions.ifPresent(sessions -> cookie.append("logout", new BsonString(sessions.logout))
                .append("seconds", new BsonInt64(sessions.lifetime.toSeconds())));
        return object(
                "version", paths.version,
                "uri", uri,
                "title", title,
                "banner", shownBanner,
                "readOnly", readOnly,
                "pages", pages,
                "api", orNull(paths.api),
                "token", orNull(paths.token),
                "openapi", orNull(paths.openapi),
                "access", orNull(paths.access),
                "metrics", orNull(paths.metrics),
                "mcp", orNull(paths.mcp),
                "dataApi", orNull(paths.dataApi),
                "apiKeys", orNull(paths.apiKeys),
                "cookie", cookie,
                "parameters", parameters());
    }

    /// The query parameters that a request may have: their names, methods and meanings.
    private static BsonArray parameters() {
        return new BsonArray(Arrays.stream(DataParameter.values())
                .map(parameter -> object(
                        "name", parameter.wireName(),
                        "methods",
                                parameter.methods().stream().map(Method::name).toList(),
                        "meaning", parameter.meaning().replace("`", "")))
                .toList());
    }

    private static BsonValue orNull(Optional<String> path) {
        return path.<BsonValue>map(BsonString::new).orElse(BsonNull.VALUE);
    }
}
