package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.restheart.http.Content;
import org.restheart.http.access.FairShares;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;

/// Bounds the memory of responses that clients have not received yet, and of large heads of requests, in total and for
/// each caller: clients that request much and read nothing, or send slowly, would fill the heap. Small responses are
/// not counted. Thread-safe.
///
/// Bytes that responses share are counted once in total, and once for each of their callers, as if each had them
/// alone. The first one is not charged for the others: when its client has taken its response, its share is free again,
/// however long those that joined it take nothing. And no caller has bytes beyond its share by having joined others.
final class ResponseMemory {
    private static final int SMALL = 16 << 10;
    private static final int UNIT = 16 << 10;
    private static final int HEAD_UNIT = 1 << 10;

    /// There may be ten times as many listeners as requests.
    private static final int SMALL_LISTENER = 4 << 10;

    /// What Undertow keeps for a response that waits.
    private static final int BUFFER = 16 << 10;

    /// As sent, decoded, and in elements.
    private static final int COPIES = 4;

    /// As sent, and in the parser's buffer.
    private static final int COPIES_OF_VALUE = 3;

    /// The longest path, query, name or value of a header after which a connection of HTTP/1.1 is kept open.
    private static final int LONG = 8 << 10;

    /// A segment, parameter or header field: its objects, and their place in a list.
    private static final int ELEMENT = 120;

    private final FairShares units;

    /// Of the heads of requests in progress, and of what their responses need beside the content.
    private final FairShares heads;

    /// Guarded by itself. By identity, since buffers compare by content.
    private final IdentityHashMap<ByteBuffer, Shared> buffers = new IdentityHashMap<>();

    /// Bytes of one or more responses.
    ///
    /// @param responses of each caller, changed under the lock
    private record Shared(int units, Map<String, Integer> responses) {}

    /// @param bytes of the contents of all responses together; what they need beside it may be half as much
    ResponseMemory(long bytes) {
        this.units = new FairShares(Math.clamp(bytes / UNIT, 1, Integer.MAX_VALUE));
        this.heads = new FairShares(Math.clamp(bytes / 2 / HEAD_UNIT, 1, Integer.MAX_VALUE));
    }

    /// Counts the content until the exchange ends.
    ///
    /// @param caller names the caller, see [org.restheart.http.access.CallerScope]; not asked for small
    /// responses
    /// @return false if its caller has too much already
    boolean reserve(HttpServerExchange exchange, Supplier<String> caller, Content content) {
        return switch (content) {
            case Content.Bytes(var buffer) -> buffer.remaining() <= SMALL || reserve(exchange, caller.get(), buffer);
            case Content.Streamed streamed -> reserve(exchange, units, caller.get(), units(streamed.held(), UNIT));
            case Content.None _, Content.Push _, Content.Forwarded _ -> true;
        };
    }

    /// Counts what the head of a request takes until its exchange ends, whatever the request waits for: its content, a
    /// thread, its client. Most heads are small, and not counted: requests in flight have a limit.
    ///
    /// @param address see [org.restheart.http.access.CallerScope]; not asked for small heads
    /// @return false if this address has too much in progress
    boolean reserveRequest(HttpServerExchange exchange, Supplier<String> address) {
        long bytes = size(exchange);
        if (bytes > LONG && longest(exchange) > LONG) {
            UnreadContent.closeAfter(exchange); // the connection would keep what its longest element has needed
        }
        return bytes <= SMALL || reserve(exchange, heads, address.get(), units(bytes, HEAD_UNIT));
    }

    /// Counts what any response keeps that waits for its client, whatever its content: the head of its request, a
    /// buffer.
    ///
    /// @return false if its caller has too much already
    boolean reserveHead(HttpServerExchange exchange, String caller) {
        return reserve(exchange, heads, caller, units(BUFFER + size(exchange), HEAD_UNIT));
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
        int needed = units(bytes, HEAD_UNIT);
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
    private static long size(HttpServerExchange exchange) {
        var path = exchange.getRequestURI();
        var query = exchange.getQueryString();
        long bytes = (long) COPIES * (path.length() + query.length())
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

    private static int units(long bytes, int unit) {
        return (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(bytes, unit));
    }

    private static boolean reserve(HttpServerExchange exchange, FairShares shares, String caller, int needed) {
        if (!shares.tryTake(caller, needed)) {
            return false;
        }
        Exchanges.onComplete(exchange, () -> shares.release(caller, needed));
        return true;
    }

    private boolean reserve(HttpServerExchange exchange, String caller, ByteBuffer buffer) {
        int needed = units(buffer.remaining(), UNIT);
        synchronized (buffers) {
            var known = buffers.get(buffer);
            if (known == null ? !units.tryTake(caller, needed) : !joins(known, caller)) {
                return false;
            }
            buffers.computeIfAbsent(buffer, _ -> new Shared(needed, new HashMap<>()))
                    .responses
                    .merge(caller, 1, Integer::sum);
        }
        Exchanges.onComplete(exchange, () -> release(buffer, caller));
        return true;
    }

    private boolean joins(Shared shared, String caller) {
        return shared.responses.containsKey(caller) || units.tryJoin(caller, shared.units);
    }

    private void release(ByteBuffer buffer, String caller) {
        synchronized (buffers) {
            buffers.computeIfPresent(buffer, (_, shared) -> {
                boolean isLast =
                        shared.responses.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1) == null;
                if (!isLast) {
                    return shared;
                }
                if (!shared.responses.isEmpty()) {
                    units.leave(caller, shared.units);
                    return shared;
                }
                units.release(caller, shared.units);
                return null;
            });
        }
    }
}
