package org.restheart.console;

import static org.restheart.bson.BsonValues.object;

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
import org.restheart.http.module.ConfigBlock;
import org.restheart.http.module.ServiceModule;
import org.restheart.http.module.ServiceModule.Configured;
import org.restheart.http.module.ServiceModule.Context;
import org.restheart.http.module.ServiceModule.CookieSessions;
import org.restheart.http.parameter.DataParameter;

/// `console` of the configuration.
///
/// @param uri the path to which it is bound
/// @param title of the page; empty for the name of the instance
/// @param banner above every page
/// @param readOnly whether actions that write are hidden; a convenience, not a protection
/// @param pages which of [#PAGES] are shown
public record ConsoleConfig(
        String uri, Optional<String> title, Optional<Banner> banner, boolean readOnly, List<String> pages)
        implements Configured {
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

    /// Registers the console.
    public static final class Console implements ServiceModule {
        @Override
        public String block() {
            return "console";
        }

        @Override
        public ConsoleConfig read(ConfigBlock root) {
            return ConsoleConfig.read(root.block("console"));
        }
    }

    /// Registers GraphiQL.
    public static final class Graphiql implements ServiceModule {
        @Override
        public String block() {
            return "graphiql";
        }

        @Override
        public Configured read(ConfigBlock root) {
            var block = root.block("graphiql");
            return new GraphiqlPage(block.uri("uri"), block.bool("secured"));
        }
    }

    /// `graphiql` of the configuration: the page is there if GraphQL is.
    private record GraphiqlPage(String uri, boolean secured) implements Configured {
        @Override
        public void install(Context context) {
            context.uri("graphql")
                    .ifPresent(graphql -> context.serve(BrowserPages.graphiql(uri, graphql), uri, secured));
        }
    }

    /// A line that names the environment, such as "PRODUCTION".
    ///
    /// @param color one of [#COLORS]
    public record Banner(String text, String color) {}

    static ConsoleConfig read(ConfigBlock block) {
        var pages = block.texts("pages");
        return new ConsoleConfig(
                block.uri("uri"),
                block.optionalText("title"),
                block.optionalText("banner").map(text -> new Banner(text, block.choice("banner-color"))),
                block.bool("read-only"),
                pages.isEmpty() ? PAGES : pages);
    }

    @Override
    public boolean needsData() {
        return false;
    }

    @Override
    public void install(Context context) {
        context.serve(BrowserPages.console(this, context), uri, false);
    }

    /// `config.json`: contains neither data nor secrets.
    BsonDocument toDocument(Context context) {
        var shownBanner = banner.<BsonValue>map(line -> object("text", line.text, "color", line.color))
                .orElse(BsonNull.VALUE);
        var sessions = context.find(CookieSessions.class);
        var cookie = object("usable", sessions.isPresent());
        sessions.ifPresent(kept -> cookie.append("logout", new BsonString(kept.logout()))
                .append("seconds", new BsonInt64(kept.lifetime().toSeconds())));
        return object(
                "version", context.version(),
                "uri", uri,
                "title", title.orElseGet(context::name),
                "banner", shownBanner,
                "readOnly", readOnly,
                "pages", pages,
                "api", path(context, "mongo"),
                "token", path(context, "authTokenService"),
                "openapi", path(context, "openApi"),
                "access", path(context, "access"),
                "metrics", path(context, "metrics"),
                "mcp", path(context, "mcp"),
                "dataApi", path(context, "dataApi"),
                "apiKeys", path(context, "apiKeyAuthMechanism"),
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

    /// Null for a service that is off.
    private static BsonValue path(Context context, String block) {
        return context.uri(block).<BsonValue>map(BsonString::new).orElse(BsonNull.VALUE);
    }
}
