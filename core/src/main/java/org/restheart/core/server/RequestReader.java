package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.restheart.core.observation.Observation.Note;
import org.restheart.http.Body;
import org.restheart.http.Connection;
import org.restheart.http.Fields;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.NamedOperation;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.access.CallerScope;
import org.restheart.http.attribute.Attributes;
import org.restheart.http.judged.DataWrite;
import org.restheart.security.ClientAddress;
import org.xnio.StreamConnection;
import org.xnio.ssl.SslConnection;

/// Converts Undertow's exchange to a [Request]. Undertow's decoding of paths and parameters is disabled: path and
/// query are parsed here, once, from the text that was sent.
final class RequestReader {
    /// A name or an address, with a port or without.
    private static final Pattern HOST =
            Pattern.compile("(?:[A-Za-z0-9._~-]{1,255}|\\[[0-9A-Fa-f:.]{2,45}])(?::[0-9]{1,5})?");

    private static final HttpString X_FORWARDED_PREFIX = new HttpString("X-Forwarded-Prefix");

    /// A path without dot segments, and without a slash at its end.
    private static final Pattern PREFIX = Pattern.compile("(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~!$&'()*+,=:@-]+)+");

    private final RequestIds ids = new RequestIds();
    private final ClientAddress clients;
    private final Optional<String> baseUrl;

    RequestReader(ClientAddress clients, Optional<String> baseUrl) {
        this.clients = clients;
        this.baseUrl = baseUrl;
    }

    Request read(HttpServerExchange exchange, Method method, RequestPath path, Query query, Note note) {
        var headers = new UndertowHeaders(RequestHead.of(exchange));
        var client = clients.forwardedFor(exchange.getSourceAddress().getAddress(), headers);
        return new Request(
                ids.next(),
                method,
                path,
                query,
                headers,
                Body.EMPTY,
                connection(exchange, client),
                Caller.ANONYMOUS,
                Attributes.NONE
                        .with(Account.OBSERVER, note::accept)
                        .with(NamedOperation.OBSERVER, note::accept)
                        .with(CallerScope.OBSERVER, note::acceptCaller)
                        .with(DataWrite.NOTED, new AtomicBoolean()),
                Lease.CONSTANT,
                false);
    }

    /// All that is known of a request that Undertow could not read.
    Request unread(StreamConnection connection) {
        var local = connection.getLocalAddress(InetSocketAddress.class);
        return new Request(
                ids.next(),
                Method.GET,
                RequestPath.parse("/"),
                Query.NONE,
                Fields.NONE,
                Body.EMPTY,
                new Connection(
                        connection instanceof SslConnection ? "https" : "http",
                        "",
                        local.getHostString() + ":" + local.getPort(),
                        connection.getPeerAddress(InetSocketAddress.class),
                        local),
                Caller.ANONYMOUS,
                Attributes.NONE,
                Lease.CONSTANT,
                false);
    }

    private Connection connection(HttpServerExchange exchange, Optional<InetAddress> client) {
        var fields = RequestHead.of(exchange);
        var sent = fields.getFirst(Headers.HOST);
        var host = sent == null || sent.isEmpty() ? exchange.getHostAndPort() : sent;
        // not what the client says (:scheme, or a target that is a whole URI)
        var scheme = exchange.getConnection().getSslSessionInfo() == null ? "http" : "https";
        boolean asks =
                baseUrl.isEmpty() && clients.trusts(exchange.getSourceAddress().getAddress());
        return new Connection(
                scheme,
                exchange.getProtocol().toString(),
                host,
                exchange.getSourceAddress(),
                exchange.getDestinationAddress(),
                asks ? forwarded(fields, scheme, host) : baseUrl,
                client);
    }

    /// What the nearest proxy says of the URL by which the client knows this server. Anything but a scheme, a host and
    /// a path is ignored.
    private static Optional<String> forwarded(HeaderMap fields, String scheme, String host) {
        var publicScheme = last(fields, Headers.X_FORWARDED_PROTO)
                .map(text -> text.toLowerCase(Locale.ROOT))
                .filter(text -> text.equals("http") || text.equals("https"));
        var publicHost = last(fields, Headers.X_FORWARDED_HOST)
                .filter(text -> HOST.matcher(text).matches());
        var prefix = last(fields, X_FORWARDED_PREFIX)
                .map(text -> text.replaceFirst("/$", ""))
                .filter(text -> PREFIX.matcher(text).matches());
        return publicScheme.isEmpty() && publicHost.isEmpty() && prefix.isEmpty()
                ? Optional.empty()
                : Optional.of(publicScheme.orElse(scheme) + "://" + publicHost.orElse(host) + prefix.orElse(""));
    }

    /// The last value of a list, which the nearest proxy has written.
    private static Optional<String> last(HeaderMap fields, HttpString name) {
        return Optional.ofNullable(fields.getLast(name))
                .map(list -> list.substring(list.lastIndexOf(',') + 1).strip());
    }

    /// The path as sent, without the query. In a request to a proxy it comes with scheme and host (RFC 9112,
    /// 3.2.2).
    static String path(HttpServerExchange exchange) {
        var uri = exchange.getRequestURI();
        if (exchange.isHostIncludedInRequestURI()) {
            int slash = uri.indexOf('/', uri.indexOf("://") + 3);
            return slash < 0 ? "/" : utf8(uri.substring(slash));
        }
        return utf8(uri);
    }

    static String query(HttpServerExchange exchange) {
        return utf8(exchange.getQueryString());
    }

    /// Bytes beyond ASCII arrive as one character each; clients that do not percent-encode them mean UTF-8.
    static String utf8(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return new String(text.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
            }
        }
        return text;
    }

    /// Generates request ids for the log. Unique among the instances that share a log. Thread-safe.
    static final class RequestIds {
        private static final int RADIX = 36;

        /// Differs from instance to instance, and from start to start.
        private final String instance =
                Integer.toString(new SecureRandom().nextInt(RADIX * RADIX * RADIX * RADIX * RADIX), RADIX) + "-";

        private final AtomicLong next = new AtomicLong(RADIX * RADIX * RADIX); // four characters at least

        String next() {
            return instance + Long.toString(next.getAndIncrement(), RADIX);
        }
    }
}
