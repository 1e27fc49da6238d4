package org.restheart.core.server;

import io.undertow.protocols.http2.ConnectionErrorException;
import io.undertow.protocols.http2.Http2Channel;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.StreamConnection;

/// Bounds the memory of heads that are not complete, in fair shares of the addresses that send them: nobody is
/// authenticated yet, and each connection may have one as large as a head may be. A connection beyond its share is
/// closed, and so is one whose head takes too long, also in HTTP/2, where Undertow does not look. Heads that arrive at
/// once are not counted, nor is a small beginning, which belongs to the memory of a connection. Thread-safe.
final class ArrivingHeads {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivingHeads.class);
    private static final long LOG_AGAIN = Duration.ofMinutes(1).toNanos();

    /// Bytes of a beginning that does not count.
    private static final int SMALL = 2_048;

    private static final int UNIT = 4_096;

    private final FairShares units;
    private final long timeout;
    private final Set<Share> shares = ConcurrentHashMap.newKeySet();
    private final AtomicLong logged = new AtomicLong(System.nanoTime() - LOG_AGAIN);

    /// @param bytes of unfinished heads as they were sent, together
    /// @param timeout of a head; empty for none
    ArrivingHeads(long bytes, Optional<Duration> timeout) {
        this.units = FairShares.ofAddresses(Math.clamp(bytes / UNIT, 1, Integer.MAX_VALUE));
        this.timeout = timeout.map(Duration::toNanos).orElse(Long.MAX_VALUE);
    }

    Head head(StreamConnection connection) {
        return new Head(connection);
    }

    /// What one connection has taken. Does not keep it in memory: a close is not noticed, only looked for.
    private final class Share {
        private final WeakReference<StreamConnection> connection;
        private final String caller;
        private final AtomicInteger taken = new AtomicInteger();

        Share(StreamConnection connection) {
            this.connection = new WeakReference<>(connection);
            this.caller = CallerScope.address(ConnectionLimit.address(connection));
        }

        void require(long bytes) throws IOException {
            int more = (int) Math.min(Integer.MAX_VALUE, bytes / UNIT + 1) - taken.get();
            if (more <= 0) {
                return;
            }
            if (!units.tryTake(caller, more)) {
                shares.removeIf(Share::isGone);
                if (!units.tryTake(caller, more)) {
                    refuse();
                }
            }
            taken.addAndGet(more);
            shares.add(this);
        }

        private void refuse() throws IOException {
            long last = logged.get();
            if (System.nanoTime() - last > LOG_AGAIN && logged.compareAndSet(last, System.nanoTime())) {
                LOG.warn("connections of {} are closed: the heads of their requests do not arrive", caller);
            }
            throw new IOException("too many heads are arriving");
        }

        private boolean isGone() {
            var known = connection.get();
            boolean gone = known == null || !known.isOpen();
            if (gone) {
                release();
            }
            return gone;
        }

        private void release() {
            int all = taken.getAndSet(0);
            if (all > 0) {
                units.release(caller, all);
            }
        }

        void end() {
            if (taken.get() > 0) {
                shares.remove(this);
                release();
            }
        }
    }

    /// The heads of the requests that one connection sends, and what they have taken. Confined to the thread that
    /// reads them.
    final class Head {
        private final Share share;

        /// Null for HTTP/1.1, or while that is not known.
        private @Nullable Http2Frames http2;

        /// Bytes of the preface of HTTP/2 that have arrived; -1 for HTTP/1.1.
        private int preface;

        private long bytes;

        /// When the head was found to be unfinished, in nanoseconds; 0 if it was not.
        private long began;

        private Head(StreamConnection connection) {
            this.share = new Share(connection);
        }

        /// Whether the connection has begun with the preface of HTTP/2.
        boolean isHttp2() {
            return http2 != null;
        }

        /// Whether all that has arrived on the connection is the beginning of that preface, which may come in pieces.
        boolean mayBecomeHttp2() {
            return http2 == null && preface > 0;
        }

        long bytes() {
            return bytes;
        }

        void complete() {
            bytes = 0;
            settle();
        }

        private void settle() {
            began = 0;
            share.end();
        }

        /// Counts bytes that were received with the request before.
        void begins(int received) {
            bytes = received;
        }

        /// To be called before more is read.
        void requireInBounds() throws IOException {
            if (bytes == 0) {
                return;
            }
            long now = System.nanoTime();
            if (began == 0) {
                began = now;
            } else if (now - began > timeout) {
                throw new IOException("the head of a request did not arrive");
            }
            if (bytes > SMALL) {
                share.require(bytes);
            }
        }

        /// Takes all bytes, in which settings of HTTP/2 may be changed.
        ///
        /// @throws IOException if the head comes in too many pieces
        void arrived(ByteBuffer received) throws IOException {
            if (preface < 0) {
                bytes += received.remaining();
                return;
            }
            var frames = http2;
            if (frames == null) {
                int more = received.remaining();
                preface = Http2Frames.preface(received, preface);
                if (preface < Http2Frames.PREFACE) {
                    bytes += more;
                    return;
                }
                frames = new Http2Frames();
                http2 = frames;
            }
            long before = frames.completed();
            bytes = frames.unfinished(received);
            if (bytes == 0 || frames.completed() != before) {
                settle();
            }
        }
    }

    /// Follows the frames that a client of HTTP/2 sends (RFC 9113, 4): determines how much has arrived of a
    /// head that is not complete, and limits `SETTINGS_HEADER_TABLE_SIZE` to its initial value, 4,096
    /// bytes. Undertow keeps as many header fields of responses as this setting allows, up to 2 GiB for
    /// each connection, while a server may use a smaller table than its client allows (RFC 7541, 4.2).
    /// Confined to one thread.
    private static final class Http2Frames {
        private static final byte[] CLIENT = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

        static final int PREFACE = CLIENT.length;

        private static final int FRAME_HEAD = 9;
        private static final int TYPE_AT = 3;
        private static final int FLAGS_AT = 4;
        private static final int HEADERS = 1;
        private static final int SETTINGS = 4;
        private static final int CONTINUATION = 9;
        private static final int END_HEADERS = 4;

        /// Bytes of a frame's payload: clients send 16 KiB in each but the last one.
        private static final int SMALL_PIECE = 1 << 10;

        /// Small frames of one head, which may all be empty: each takes time, and nobody would see an end (RFC 9113,
        /// 10.5).
        private static final int MOST_SMALL_PIECES = 64;

        private final byte[] head = new byte[FRAME_HEAD];
        private int filled;

        private int length;

        private int arrived;

        private long bytes;

        private int smallPieces;
        private long completed;
        private final Setting setting = new Setting();

        /// Compares bytes with the preface, and consumes those that belong to it.
        ///
        /// @return how many have arrived; -1 for another protocol
        static int preface(ByteBuffer received, int before) {
            int count = before;
            while (count < PREFACE && received.hasRemaining()) {
                if (received.get() != CLIENT[count++]) {
                    return -1;
                }
            }
            return count;
        }

        /// Takes all bytes behind the preface, in which the setting is changed.
        ///
        /// @return those of the head that is not complete; 0 if there is none
        /// @throws ConnectionErrorException if it comes in too many pieces
        long unfinished(ByteBuffer received) throws ConnectionErrorException {
            while (received.hasRemaining()) {
                if (filled < FRAME_HEAD) {
                    head[filled++] = received.get();
                    if (filled == FRAME_HEAD) {
                        begin();
                    }
                } else {
                    pass(received);
                }
                if (filled == FRAME_HEAD && arrived == length) {
                    end();
                }
            }
            return bytes;
        }

        long completed() {
            return completed;
        }

        private boolean isOfHead() {
            return head[TYPE_AT] == HEADERS || head[TYPE_AT] == CONTINUATION;
        }

        private void begin() throws ConnectionErrorException {
            length = ((head[0] & 0xFF) << 16) | ((head[1] & 0xFF) << 8) | (head[2] & 0xFF);
            arrived = 0;
            bytes += isOfHead() ? FRAME_HEAD : 0;
            smallPieces += isOfHead() && length < SMALL_PIECE ? 1 : 0;
            if (smallPieces > MOST_SMALL_PIECES) {
                throw new ConnectionErrorException(
                        Http2Channel.ERROR_ENHANCE_YOUR_CALM, "a head comes in too many pieces");
            }
        }

        private void pass(ByteBuffer received) {
            int count = Math.min(length - arrived, received.remaining());
            int from = received.position();
            if (head[TYPE_AT] == SETTINGS) {
                for (int i = 0; i < count; i++) {
                    received.put(from + i, setting.limited(arrived + i, received.get(from + i)));
                }
            }
            received.position(from + count);
            arrived += count;
            bytes += isOfHead() ? count : 0;
        }

        private void end() {
            filled = 0;
            if (isOfHead() && (head[FLAGS_AT] & END_HEADERS) != 0) {
                bytes = 0;
                smallPieces = 0;
                completed++;
            }
        }

        /// One of the settings of a frame: an identifier of two bytes, a value of four (RFC 9113, 6.5.1).
        /// Its first bytes may have been passed on when the others arrive.
        private static final class Setting {
            private static final int BYTES = 6;
            private static final int HEADER_TABLE_SIZE = 1;

            /// The third of the four bytes of 4,096, which is the only one that is not 0.
            private static final int THIRD_BYTE = 0x10;

            private int identifier;
            private boolean larger;

            byte limited(int index, byte value) {
                int at = index % BYTES;
                if (at < 2) {
                    identifier = at == 0 ? value & 0xFF : identifier << 8 | (value & 0xFF);
                    larger = false;
                    return value;
                }
                if (identifier != HEADER_TABLE_SIZE) {
                    return value;
                }
                return switch (at) {
                    case 2, 3 -> {
                        larger |= value != 0;
                        yield 0;
                    }
                    case 4 -> {
                        larger |= (value & 0xFF) >= THIRD_BYTE;
                        yield larger ? THIRD_BYTE : value;
                    }
                    default -> larger ? 0 : value;
                };
            }
        }
    }
}
