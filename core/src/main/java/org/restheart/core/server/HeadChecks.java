package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import org.restheart.core.config.ConnectionOptions;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Checks the heads of requests: detects those whose end Undertow and a proxy might interpret differently (request
/// smuggling), and those that exceed limits.
final class HeadChecks {
    private static final Problem CODING_UNKNOWN =
            Problem.of(ProblemCode.NOT_IMPLEMENTED, "the only transfer coding of requests is chunked");
    private static final Problem LENGTH_MALFORMED =
            Problem.of(ProblemCode.BAD_REQUEST, "Content-Length is not a number of bytes");

    /// A number with this many digits fits into a long.
    private static final int MAX_DIGITS = 18;

    private HeadChecks() {}

    private static final Pattern AMPERSAND = Pattern.compile("&");

    /// Of HTTP/1.1, Undertow refuses other hosts by itself.
    private static final Pattern AUTHORITY = Pattern.compile("[A-Za-z0-9\\-._~%!$&'()*+,;=:\\[\\]]*");

    private static final Problem AMBIGUOUS = Problem.of(
            ProblemCode.BAD_REQUEST, "the length of the content is ambiguous: more than one field states it");
    private static final Problem CODING_TOO_NEW =
            Problem.of(ProblemCode.BAD_REQUEST, "HTTP/1.0 has no Transfer-Encoding");
    private static final Problem CONTENT_MISSING =
            Problem.of(ProblemCode.BAD_REQUEST, "the content is shorter than Content-Length says");
    private static final Problem FIELD_MALFORMED =
            Problem.of(ProblemCode.BAD_REQUEST, "a header field contains control characters");
    private static final Problem FIELD_FOLDED =
            Problem.of(ProblemCode.BAD_REQUEST, "a header field is continued on a further line: send it on one");
    private static final Problem TARGET_MALFORMED = Problem.of(
            ProblemCode.BAD_REQUEST, "the path or the query contains blanks or control characters: encode them");

    private static final Problem TARGET_NOT_UTF8 =
            Problem.of(ProblemCode.BAD_REQUEST, "the path or the query is not UTF-8: percent-encode it as UTF-8");

    /// The fault in the head of a request, in particular in the fields that determine where the content ends.
    static Optional<Problem> fault(HttpServerExchange exchange) {
        if (ReceivedBytes.isFolded(exchange)) {
            return Optional.of(FIELD_FOLDED);
        }
        var headers = RequestHead.of(exchange);
        if (headers.contains(Headers.TRANSFER_ENCODING)) {
            if (exchange.isHttp10()) { // RFC 9112, 6.1
                return Optional.of(CODING_TOO_NEW);
            }
            if (headers.contains(Headers.CONTENT_LENGTH)) { // RFC 9112, 6.3
                return Optional.of(AMBIGUOUS);
            }
        }
        if (!isVisible(exchange.getRequestURI()) || !isVisible(exchange.getQueryString())) {
            return Optional.of(TARGET_MALFORMED);
        }
        if (!isUtf8(exchange.getRequestURI()) || !isUtf8(exchange.getQueryString())) {
            return Optional.of(TARGET_NOT_UTF8);
        }
        if (!exchange.isHttp11()
                && !exchange.isHttp10()
                && !(arePseudoFieldsClean(exchange) && areFieldsClean(headers))) {
            return Optional.of(FIELD_MALFORMED);
        }
        if (!isCodingKnown(headers)) {
            return Optional.of(CODING_UNKNOWN);
        }
        if (!isLengthKnown(headers)) {
            return Optional.of(LENGTH_MALFORMED);
        }
        return isContentMissing(exchange) ? Optional.of(CONTENT_MISSING) : Optional.empty();
    }

    /// In HTTP/2 a request may end with its head, whatever length that states (RFC 9113, 8.1.1).
    private static boolean isContentMissing(HttpServerExchange exchange) {
        return !(exchange.getConnection() instanceof HttpServerConnection)
                && exchange.isRequestComplete()
                && RequestHead.contentLength(exchange) > 0;
    }

    /// The pseudo-header fields of HTTP/2 are values of the same kind: those of HTTP/1.1 end with the next
    /// blank.
    private static boolean arePseudoFieldsClean(HttpServerExchange exchange) {
        return isVisible(exchange.getRequestMethod().toString())
                && isVisible(exchange.getRequestScheme())
                && AUTHORITY.matcher(exchange.getHostAndPort()).matches();
    }

    private static boolean isVisible(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= 0x20 || c == 0x7f) {
                return false;
            }
        }
        return true;
    }

    /// Two texts that are no UTF-8 would become the same id.
    private static boolean isUtf8(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                var decoded = RequestReader.utf8(text).getBytes(StandardCharsets.UTF_8);
                return Arrays.equals(decoded, text.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return true;
    }

    /// Only in HTTP/2 may a name or a value contain any byte (RFC 9113, 8.2.1).
    private static boolean areFieldsClean(HeaderMap headers) {
        for (var values : headers) {
            var name = values.getHeaderName().toString();
            if (!isVisible(name) || name.indexOf(':', 1) > 0) {
                return false;
            }
            for (var value : values) {
                for (int i = 0; i < value.length(); i++) {
                    char c = value.charAt(i);
                    if (c == '\r' || c == '\n' || c == 0) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /// Undertow reads to the connection's end for an unknown coding; RFC 9112, 6.1 requires a 501.
    private static boolean isCodingKnown(HeaderMap headers) {
        var codings = headers.get(Headers.TRANSFER_ENCODING);
        return codings == null
                || (codings.size() == 1 && codings.getFirst().strip().equalsIgnoreCase("chunked"));
    }

    /// Digits and nothing else (RFC 9112, 6.2). Undertow lets numbers overflow: 2^64 + 14 would mean 14.
    private static boolean isLengthKnown(HeaderMap headers) {
        var length = headers.getFirst(Headers.CONTENT_LENGTH);
        if (length == null) {
            return true;
        }
        var digits = length.strip();
        for (int i = 0; i < digits.length(); i++) {
            if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
                return false;
            }
        }
        return digits.length() <= MAX_DIGITS && !digits.isEmpty();
    }

    /// Limits the numbers of fields, parameters and cookies.
    ///
    /// @throws org.restheart.http.ProblemException 400 for too many header fields, parameters or cookies
    static void requireWithin(HttpServerExchange exchange, ConnectionOptions limits) {
        if (RequestHead.of(exchange).size() > limits.maxHeaders()) {
            throw exceeded("header fields", "MAX_HEADERS", limits.maxHeaders());
        }
        var query = exchange.getQueryString();
        if (query.length() / 2 >= limits.maxParameters() // each takes two characters, with its separator
                && parameters(query) > limits.maxParameters()) {
            throw exceeded("parameters", "MAX_PARAMETERS", limits.maxParameters());
        }
        var cookies = RequestHead.of(exchange).get(Headers.COOKIE);
        if (cookies != null && cookies(cookies) > limits.maxCookies()) {
            throw exceeded("cookies", "MAX_COOKIES", limits.maxCookies());
        }
    }

    private static RuntimeException exceeded(String what, String key, int limit) {
        return new ProblemException(
                ProblemCode.BAD_REQUEST,
                "the request has more " + what + " than connection-options." + key + ", " + limit);
    }

    /// Empty ones do not count.
    private static long parameters(String query) {
        return AMPERSAND
                .splitAsStream(query)
                .filter(parameter -> !parameter.isEmpty())
                .count();
    }

    /// Undertow counts them only when they are read.
    private static long cookies(Iterable<String> lines) {
        long count = 0;
        for (var line : lines) {
            count += 1 + line.chars().filter(c -> c == ';').count();
        }
        return count;
    }
}
