package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.function.Supplier;
import org.restheart.http.Content;
import org.restheart.http.access.FairShares;

/// Bounds the memory of responses that clients have not received yet, in total and for each caller: clients that
/// request much and read nothing would fill the heap. Small responses are not counted; bytes that responses share
/// are counted once. Thread-safe.
final class HeldResponses {
    private static final int SMALL = 16 << 10;
    private static final int UNIT = 64 << 10;

    private final FairShares units;

    /// Guarded by itself. By identity, since buffers compare by content.
    private final IdentityHashMap<ByteBuffer, Shared> buffers = new IdentityHashMap<>();

    /// Bytes of one or more responses.
    ///
    /// @param caller of the first of them
    private record Shared(String caller, int units, int responses) {}

    /// @param bytes of all responses together
    HeldResponses(long bytes) {
        this.units = new FairShares((int) Math.min(Integer.MAX_VALUE, Math.max(1, bytes / UNIT)), 0);
    }

    /// Counts the content until the exchange ends.
    ///
    /// @param caller names the caller, see [org.restheart.http.access.CallerScope]; not asked for small
    /// responses
    /// @return false if its caller holds too much already
    boolean hold(HttpServerExchange exchange, Supplier<String> caller, Content content) {
        return switch (content) {
            case Content.Bytes(var buffer) -> buffer.remaining() <= SMALL || hold(exchange, caller.get(), buffer);
            case Content.Streamed streamed -> hold(exchange, caller.get(), units(streamed.held()));
            case Content.None _, Content.Push _, Content.Forwarded _ -> true;
        };
    }

    private static int units(long bytes) {
        return (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(bytes, UNIT));
    }

    private boolean hold(HttpServerExchange exchange, String caller, int needed) {
        if (!units.tryTake(caller, needed)) {
            return false;
        }
        exchange.addExchangeCompleteListener((_, next) -> {
            units.release(caller, needed);
            next.proceed();
        });
        return true;
    }

    private boolean hold(HttpServerExchange exchange, String caller, ByteBuffer buffer) {
        int needed = units(buffer.remaining());
        synchronized (buffers) {
            var known = buffers.get(buffer);
            if (known == null && !units.tryTake(caller, needed)) {
                return false;
            }
            buffers.put(
                    buffer,
                    known == null
                            ? new Shared(caller, needed, 1)
                            : new Shared(known.caller, known.units, known.responses + 1));
        }
        exchange.addExchangeCompleteListener((_, next) -> {
            release(buffer);
            next.proceed();
        });
        return true;
    }

    private void release(ByteBuffer buffer) {
        synchronized (buffers) {
            buffers.computeIfPresent(buffer, (_, shared) -> {
                if (shared.responses > 1) {
                    return new Shared(shared.caller, shared.units, shared.responses - 1);
                }
                units.release(shared.caller, shared.units);
                return null;
            });
        }
    }
}
