package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.restheart.http.ContentTrees;
import org.restheart.http.access.FairShares;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;

/// Bounds the memory of large heads of requests, and of what their responses need beside the content, in total and for
/// each caller: a thousand requests in flight with a head of a megabyte each would fill the heap. Thread-safe.
final class HeadMemory {
    private static final int SMALL = 16 << 10;
    private static final int HEAD_UNIT = 1 << 10;

    /// There may be ten times as many listeners as requests.
    private static final int SMALL_LISTENER = 4 << 10;

    /// What Undertow keeps for a response that waits.
    private static final int BUFFER = 16 << 10;

    /// As sent, decoded, and in elements; the trees of JSON come on top.
    private static final int COPIES = 4;

    /// As sent, and in the parser's buffer.
    private static final int COPIES_OF_VALUE = 3;

    /// The longest path, query, name or value of a header after which a connection of HTTP/1.1 is kept open.
    private static final int LONG = 8 << 10;

    /// A segment, parameter or header field: its objects, and their place in a list.
    private static final int ELEMENT = 120;

    private final FairShares heads;

    /// Bytes that count at most for the JSON in one head, so that one alone is not refused.
    private final long mostOfTrees;

    HeadMemory(long bytes) {
        this.mostOfTrees = bytes / 4;
        this.heads = new FairShares(Math.clamp(bytes / HEAD_UNIT, 1, Integer.MAX_VALUE));
    }

    /// Counts what the head of a request takes until its exchange ends, whatever the request waits for: its content, a
    /// thread, its client. Most heads are small, and not counted: requests in flight have a limit.
    ///
    /// @param address see [org.restheart.http.access.CallerScope]; not asked for small heads
    /// @return false if this address has too much in progress
    boolean reserveRequest(HttpServerExchange exchange, Supplier<String> address) {
        long bytes = size(exchange);
        if (bytes > LONG && longest(exchange) > LONG) {
            exchange.setPersistent(false); // the connection would keep what its longest element has needed
        }
        return bytes <= SMALL || reserve(exchange, address.get(), bytes);
    }

    /// Counts what any response keeps that waits for its client, whatever its content: a buffer, and the head of its
    /// request unless that counts already.
    boolean reserveHead(HttpServerExchange exchange, String caller) {
        long bytes = size(exchange);
        return reserve(exchange, caller, BUFFER + (bytes <= SMALL ? bytes : 0));
    }

    /// Counts the head of a listener's request until it has gone: it is judged again while it listens.
    ///
    /// @param caller names the caller, see [org.restheart.http.access.CallerScope]; not asked for small heads
    /// @return the subscription to use instead; empty if its caller has too much in progress
    Optional<Subscription> reserveListener(
            HttpServerExchange exchange, Supplier<String> caller, Subscription subscription) {
        long bytes = size(exchange);
        boolean isReserved = bytes > SMALL && subscription.transport() == Transport.SSE; // the exchange goes on
        if (bytes <= SMALL_LISTENER || isReserved) {
            return Optional.of(subscription);
        }
        var payer = caller.get();
        int needed = units(bytes);
        if (!heads.tryTake(payer, needed)) {
            return Optional.empty();
        }
        var reserved = new AtomicBoolean(true);
        return Optional.of(subscription.with(() -> {
            if (reserved.getAndSet(false)) {
                heads.release(payer, needed);
            }
            subscription.onGone().run();
        }));
    }

    /// An estimate of the memory of a request without its content.
    private long size(HttpServerExchange exchange) {
        var path = exchange.getRequestURI();
        var query = exchange.getQueryString();
        long bytes = (long) COPIES * (path.length() + query.length())
                + Math.min(mostOfTrees, ContentTrees.weight(path) + ContentTrees.weight(query))
                + (long) ELEMENT * (count(path, '/') + count(query, '&'));
        for (var field : RequestHead.of(exchange)) {
            for (var value : field) {
                bytes += ELEMENT
                        + (long) COPIES * field.getHeaderName().length()
                        + (long) COPIES_OF_VALUE * value.length();
            }
        }
        return bytes;
    }

    /// Undertow's parser collects each element in a buffer that stays with a connection of HTTP/1.1, up to twice as
    /// large.
    private static int longest(HttpServerExchange exchange) {
        int longest = Math.max(
                exchange.getRequestURI().length(), exchange.getQueryString().length());
        for (var field : RequestHead.of(exchange)) {
            longest = Math.max(longest, field.getHeaderName().length());
            for (var value : field) {
                longest = Math.max(longest, value.length());
            }
        }
        return longest;
    }

    private static int count(String text, char character) {
        int count = 0;
        for (int i = text.indexOf(character); i >= 0; i = text.indexOf(character, i + 1)) {
            count++;
        }
        return count;
    }

    private static int units(long bytes) {
        return (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(bytes, HEAD_UNIT));
    }

    private boolean reserve(HttpServerExchange exchange, String caller, long bytes) {
        int needed = units(bytes);
        if (!heads.tryTake(caller, needed)) {
            return false;
        }
        Exchanges.onComplete(exchange, () -> heads.release(caller, needed));
        return true;
    }
}
