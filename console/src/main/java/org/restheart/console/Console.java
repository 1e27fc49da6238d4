package org.restheart.console;

import java.util.TreeMap;
import java.util.regex.Pattern;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.console.ConsoleConfig.Places;

/// The console: a page that is a client of the public API.
public final class Console {
    /// References in the page. It names all files, so that browsers load them in parallel.
    private static final Pattern NAMED = Pattern.compile("(?:href|src)=\"FILES/([a-zA-Z0-9./_-]+)\"");

    /// Scripts, styles and requests of this origin only; no markup from strings.
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; "
            + "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; "
            + "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    private Console() {}

    /// `GET /_console/`.
    public static PageService service(ConsoleConfig config, Places places) {
        var page = PageService.readText("/console/index.html");
        var contents = new TreeMap<String, byte[]>();
        var names = NAMED.matcher(page);
        while (names.find()) {
            contents.computeIfAbsent(names.group(1), name -> PageService.read("/console/" + name));
        }
        return new PageService(config.uri(), POLICY, page, contents)
                .with("config.json", JsonEncoder.of(JsonMode.DEFAULT).encodeToString(config.toDocument(places)));
    }
}
