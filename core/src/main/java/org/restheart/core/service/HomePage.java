package org.restheart.core.service;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.restheart.http.Accepted;
import org.restheart.http.Bundled;
import org.restheart.http.Content;
import org.restheart.http.Cors;
import org.restheart.http.Digests;
import org.restheart.http.IoThreadService;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;

/// `GET /` for browsers: the caller's account and links to the services. Public; links for callers with an account
/// are shown only to them. Without scripts or external resources.
public final class HomePage implements Service {
    private static final String PAGE = Bundled.text(HomePage.class, "/org/restheart/core/home.html");

    /// The colors are those of the console.
    private static final String STYLE = Bundled.text(HomePage.class, "/org/restheart/core/home.css");

    private final String instance;
    private final String version;
    private final Optional<String> console;
    private final Map<String, String> places;

    /// @param places links for callers with an account: a description by path
    public HomePage(String instance, String version, Optional<String> console, Map<String, String> places) {
        this.instance = instance;
        this.version = version;
        this.console = console;
        this.places = places;
    }

    /// Whether a request is a browser's for the page: `/` alone, and `text/html` before JSON.
    public static boolean isAsked(Request request) {
        if ((request.method() != Method.GET && request.method() != Method.HEAD)
                || !request.path().segments().isEmpty()
                || !request.query().raw().isEmpty()) {
            return false;
        }
        var accepted = Accepted.of(request.headers());
        return accepted.named("text/html") > accepted.named("application/json");
    }

    @Override
    public Response handle(Request request) {
        if (!isAsked(request)) { // nothing else is bound here
            throw Problem.of(ProblemCode.NOTHING_BOUND).raise();
        }
        return Response.status(200)
                .with("Cache-Control", "no-store")
                .with("Vary", "Accept")
                .with(
                        "Content-Security-Policy",
                        "default-src 'none'; img-src 'self'; style-src 'sha256-" + hash(STYLE)
                                + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
                .with("X-Content-Type-Options", "nosniff")
                .with("Referrer-Policy", "no-referrer")
                .with(
                        "text/html; charset=utf-8",
                        Content.Bytes.small(page(request).getBytes(StandardCharsets.UTF_8)));
    }

    private String page(Request request) {
        var account = request.caller().account();
        var links = new StringBuilder();
        console.ifPresent(uri -> link(links, uri + "/", "the console: documents, changes, metrics; sign in there"));
        link(links, "/ping", "whether this process answers, and its version");
        if (account.isPresent()) {
            places.forEach((uri, what) -> link(links, uri, what));
        }
        return PAGE.formatted(
                STYLE,
                instance.equals("default") ? "" : ", instance <b>" + escaped(instance) + "</b>",
                account.map(who -> "You are <b>" + escaped(who.name()) + "</b>, with the roles "
                                + escaped(String.join(", ", who.roles())) + ".")
                        .orElse("You are not signed in; most of what is here needs an account."),
                escaped(request.connection().baseUrl()),
                links,
                account.map(_ -> "<footer>version " + escaped(version) + "</footer>")
                        .orElse(""));
    }

    private static void link(StringBuilder links, String uri, String what) {
        links.append(
                "<div><dt><a href=\"%1$s\">%1$s</a></dt><dd>%2$s</dd></div>".formatted(escaped(uri), escaped(what)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String hash(String text) {
        return Base64.getEncoder().encodeToString(Digests.sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    /// `GET /favicon.ico`, which browsers ask for on their own.
    public static final class Icon implements IoThreadService {
        private final Content.Bytes icon =
                Content.Bytes.of(Bundled.bytes(HomePage.class, "/org/restheart/core/favicon.ico"), Lease.CONSTANT);

        @Override
        public Cors cors(Request request) {
            return new Cors("GET", Cors.DEFAULT_HEADERS, "");
        }

        @Override
        public Response handle(Request request) {
            request.requireMethod(Method.GET);
            return Response.status(200)
                    .with("Cache-Control", "public, max-age=86400")
                    .with("image/x-icon", icon);
        }
    }
}
