package org.restheart.console;

import java.util.List;
import java.util.Optional;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;

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
    /// @param cookieLogout where a session in the cookie ends; empty where sessions may not be kept in the cookie
    public record Places(
            String version,
            Optional<String> api,
            Optional<String> token,
            Optional<String> openapi,
            Optional<String> access,
            Optional<String> metrics,
            Optional<String> mcp,
            Optional<String> dataApi,
            Optional<String> apiKeys,
            Optional<String> cookieLogout) {}

    /// `config.json`: contains neither data nor secrets.
    BsonDocument toDocument(Places places) {
        return new BsonDocument("version", new BsonString(places.version))
                .append("uri", new BsonString(uri))
                .append("title", new BsonString(title))
                .append(
                        "banner",
                        banner.<BsonValue>map(line -> new BsonDocument("text", new BsonString(line.text))
                                        .append("color", new BsonString(line.color)))
                                .orElse(BsonNull.VALUE))
                .append("readOnly", BsonBoolean.valueOf(readOnly))
                .append("pages", BsonTexts.array(pages))
                .append("api", orNull(places.api))
                .append("token", orNull(places.token))
                .append("openapi", orNull(places.openapi))
                .append("access", orNull(places.access))
                .append("metrics", orNull(places.metrics))
                .append("mcp", orNull(places.mcp))
                .append("dataApi", orNull(places.dataApi))
                .append("apiKeys", orNull(places.apiKeys))
                .append("cookie", cookie(places.cookieLogout));
    }

    private static BsonDocument cookie(Optional<String> logout) {
        var cookie = new BsonDocument("usable", BsonBoolean.valueOf(logout.isPresent()));
        logout.ifPresent(path -> cookie.append("logout", new BsonString(path)));
        return cookie;
    }

    private static BsonValue orNull(Optional<String> path) {
        return path.<BsonValue>map(BsonString::new).orElse(BsonNull.VALUE);
    }
}
