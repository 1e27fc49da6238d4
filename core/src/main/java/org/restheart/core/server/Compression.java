package org.restheart.core.server;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.restheart.http.Content;
import org.restheart.http.Content.ThroughStream;
import org.restheart.http.ContentCoding;
import org.restheart.http.Fields;
import org.restheart.http.Response.Ready;

/// Compresses the content of responses. It takes processor time: on an I/O thread only what is small or known.
final class Compression {
    /// The next levels take twice the time for a few percent.
    private static final int LEVEL = 4;

    /// Bytes that are compressed sooner than another thread would be there.
    private static final int SMALL = 1_024;

    private static final int SHARED_BYTES = 8 << 20;

    /// Compressed content by what it was: responses that share their content share this too. By identity.
    private static final Cache<ByteBuffer, ByteBuffer> SHARED = Caffeine.newBuilder()
            .weakKeys()
            .maximumWeight(SHARED_BYTES)
            .weigher((ByteBuffer _, ByteBuffer coded) -> coded.remaining())
            .executor(Runnable::run)
            .build();

    private static final Fields VARY = Fields.of("Vary", "Accept-Encoding");

    private Compression() {}

    /// Whether there is content that is not compressed already.
    static boolean isWorthwhile(Ready response) {
        return switch (response.content()) {
            case Content.None _ -> false;
            case Content.Bytes bytes -> bytes.length() > 0 && !isCoded(response);
            case Content.Streamed _ -> !isCoded(response);
            case Content.Push _ -> false; // a compressor would delay messages
        };
    }

    /// Ranges are of the content as it is stored: a part of it may not be coded by itself.
    private static boolean isCoded(Ready response) {
        return response.status() == 206 || response.headers().has("Content-Encoding");
    }

    /// The response as one of several for the same request. Files that are kept compressed say so themselves.
    static Ready varied(Ready response) {
        for (var line : response.headers().all("Vary")) {
            if (line.contains("Accept-Encoding")) {
                return response;
            }
        }
        return response.with(VARY);
    }

    /// Whether [#apply] takes so little time that an I/O thread may call it.
    static boolean isQuick(ContentCoding coding, Ready response) {
        return coding == ContentCoding.GZIP
                && response.content() instanceof Content.Bytes bytes
                && (bytes.length() <= SMALL || SHARED.getIfPresent(bytes.buffer()) != null);
    }

    static Ready apply(ContentCoding coding, Ready response) {
        var content = switch (response.content()) {
            case Content.None none -> none;
            case Content.Bytes bytes ->
                bytes.through(
                        bytes.length() + ThroughStream.PIECE,
                        buffer -> coding == ContentCoding.GZIP ? gzip(bytes.buffer()) : coded(coding, buffer));
            case Content.Streamed streamed ->
                streamed.through(
                        ThroughStream.PIECE, source -> new ThroughStream(source, coded -> coder(coding, coded)));
            case Content.Push push -> push;
        };
        var headers = response.headers().without("Content-Length").with("Content-Encoding", coding.token());
        return response.with(content).withHeaders(headers);
    }

    private static ByteBuffer gzip(ByteBuffer bytes) {
        return bytes.remaining() <= SMALL
                ? Gzip.of(bytes)
                : SHARED.get(bytes, _ -> Gzip.of(bytes)).duplicate();
    }

    private static ByteBuffer coded(ContentCoding coding, ByteBuffer bytes) {
        var coded = new ByteArrayOutputStream(bytes.remaining() / 4 + 64);
        try (var coder = coder(coding, coded)) {
            Channels.newChannel(coder).write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot fail", e);
        }
        return ByteBuffer.wrap(coded.toByteArray());
    }

    /// The compressor flushes on request, and frees its native memory when closed.
    private static DeflaterOutputStream coder(ContentCoding coding, OutputStream to) {
        if (coding == ContentCoding.DEFLATE) {
            return new DeflaterOutputStream(to, new Deflater(LEVEL), 8 * 1024, true) {
                @Override
                public void close() throws IOException {
                    try {
                        super.close();
                    } finally {
                        def.end();
                    }
                }
            };
        }
        try {
            return new GZIPOutputStream(to, 8 * 1024, true) {
                {
                    def.setLevel(LEVEL);
                }
            };
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot fail", e);
        }
    }

    /// Whole content as one member of gzip (RFC 1952, 2.3), by compressors that are used again: making one takes
    /// longer than compressing a small document, since it allocates and clears a quarter of a megabyte outside the
    /// heap. Thread-safe.
    private static final class Gzip {
        private static final byte[] HEADER = {0x1f, (byte) 0x8b, Deflater.DEFLATED, 0, 0, 0, 0, 0, 0, (byte) 0xff};

        private static final int TRAILER = 8;

        /// Bytes that are sent as they are, in a stored block (RFC 1951, 3.2.4): header, trailer and code tables
        /// outweigh nearly all that compressing them would gain, and it takes twice as long as answering a
        /// request does.
        private static final int STORED_AT_MOST = 256;

        private static final int IDLE_AT_MOST = 16;

        private static final BlockingQueue<Deflater> IDLE = new ArrayBlockingQueue<>(IDLE_AT_MOST);

        private Gzip() {}

        static ByteBuffer of(ByteBuffer bytes) {
            if (bytes.remaining() <= STORED_AT_MOST) {
                return stored(bytes);
            }
            var idle = IDLE.poll();
            var deflater = idle == null ? new Deflater(LEVEL, true) : idle;
            try {
                return member(bytes, deflater);
            } finally {
                deflater.reset();
                if (!IDLE.offer(deflater)) {
                    deflater.end();
                }
            }
        }

        private static ByteBuffer member(ByteBuffer bytes, Deflater deflater) {
            var member = Arrays.copyOf(HEADER, HEADER.length + TRAILER + 32 + bytes.remaining() / 2);
            int length = HEADER.length;
            deflater.setInput(bytes.duplicate());
            deflater.finish();
            while (!deflater.finished()) {
                if (length + TRAILER == member.length) {
                    member = Arrays.copyOf(member, 2 * member.length);
                }
                length += deflater.deflate(member, length, member.length - TRAILER - length);
            }
            trailer(bytes).get(0, member, length, TRAILER);
            return ByteBuffer.wrap(Arrays.copyOf(member, length + TRAILER));
        }

        private static ByteBuffer stored(ByteBuffer bytes) {
            int length = bytes.remaining();
            var member =
                    ByteBuffer.allocate(HEADER.length + 5 + length + TRAILER).order(ByteOrder.LITTLE_ENDIAN);
            member.put(HEADER).put((byte) 1).putShort((short) length).putShort((short) ~length);
            member.put(bytes.duplicate()).put(trailer(bytes));
            return member.flip();
        }

        private static ByteBuffer trailer(ByteBuffer bytes) {
            var checksum = new CRC32();
            checksum.update(bytes.duplicate());
            return ByteBuffer.allocate(TRAILER)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt((int) checksum.getValue())
                    .putInt(bytes.remaining())
                    .flip();
        }
    }
}
