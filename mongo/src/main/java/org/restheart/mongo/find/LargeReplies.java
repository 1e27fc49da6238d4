package org.restheart.mongo.find;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoDriverInformation;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.ServerAddress;
import com.mongodb.UnixServerAddress;
import com.mongodb.client.internal.Clusters;
import com.mongodb.client.internal.MongoClientImpl;
import com.mongodb.connection.SocketSettings;
import com.mongodb.connection.SslSettings;
import com.mongodb.internal.connection.Cluster;
import com.mongodb.internal.connection.OperationContext;
import com.mongodb.internal.connection.PowerOfTwoBufferPool;
import com.mongodb.internal.connection.ServerAddressHelper;
import com.mongodb.internal.connection.SocketStream;
import com.mongodb.internal.connection.SocketStreamFactory;
import com.mongodb.internal.connection.StreamFactory;
import com.mongodb.internal.connection.StreamFactoryFactory;
import com.mongodb.internal.thread.AsyncClientExecutor;
import com.mongodb.spi.dns.InetAddressResolver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import org.bson.ByteBuf;
import org.bson.ByteBufNIO;
import org.restheart.http.MemoryBudget;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.access.FairShares.Patience;
import org.restheart.http.access.FairShares.Policy;
import org.restheart.http.access.FairShares.Want;
import org.restheart.mongo.error.ShareTakenException;
import org.restheart.mongo.find.DocumentSizes.Size;

/// Bounds what MongoDB's replies take beyond what leases hold: documents may be larger than was expected, in many
/// commands at once. A reply begins with its length. A large one that was not expected is received when others leave
/// room for it, callers in turn; until then it stays in the socket. It counts until its reader has memory for its
/// documents, or the driver has decoded it, if nobody reads in [#owned]. Thread-safe.
///
/// The driver has no public place to ask before it allocates; its own sockets are built here with other buffers.
public final class LargeReplies {
    /// Smaller replies do not count: there are fewer of them at a time than connections.
    private static final int LARGE = 256 << 10;

    private static final int UNIT = 1 << 10;

    /// A fifth of a reply may be names of its elements.
    private static final int OVERHEAD = 5;

    /// In units. One reply with the largest document has room in any case.
    private static final int ROOM = (int) (MemoryBudget.Part.REPLIES.bytes() / UNIT);

    private static final FairShares CALLERS = new FairShares(ROOM);

    private static final Patience WAIT = new Patience(TimeUnit.SECONDS.toNanos(10));

    /// The server's own reads wait as those of any other caller.
    private static final List<String> SERVER = List.of("the server");

    private static final ScopedValue<Held> READER = ScopedValue.newInstance();

    private LargeReplies() {}

    /// A client whose large replies are received so.
    ///
    /// @param connections of its commands
    public static MongoClientImpl client(MongoClientSettings settings, UnaryOperator<Cluster> connections) {
        var driver = MongoDriverInformation.builder().driverName("sync").build();
        var streams = new Streams(ServerAddressHelper.getInetAddressResolver(settings));
        var executor = AsyncClientExecutor.NO_OP;
        var cluster = Clusters.createCluster(settings, driver, streams, executor);
        return new MongoClientImpl(connections.apply(cluster), driver, settings, streams, executor);
    }

    /// Reads, and has memory for what is read at the end.
    public static <T> T owned(Supplier<T> read) {
        if (READER.isBound()) {
            return read.get();
        }
        var held = new Held();
        try {
            return ScopedValue.where(READER, held).call(read::get);
        } finally {
            held.release();
        }
    }

    /// To be called when there is memory for all that this thread has read so far, before it waits for anything.
    public static void settled() {
        if (READER.isBound()) {
            READER.get().release();
        }
    }

    /// Whether what this thread has received last is large and counts.
    public static boolean isHeld() {
        return READER.isBound() && READER.get().units > 0;
    }

    /// To be called by a reader that has memory for its next reply.
    ///
    /// @param bytes of its documents
    public static void expect(long bytes) {
        if (READER.isBound()) {
            READER.get().expected = bytes;
        }
    }

    /// What the reply that was received last takes. Confined to the thread of its reader.
    private static final class Held {
        private String payer = CallerScope.SERVER;
        private int units;
        private long expected;

        /// Whoever waits holds nothing.
        void take(int bytes) {
            release();
            if (bytes - bytes / OVERHEAD <= expected) {
                return;
            }
            int needed = (int) Math.min(ROOM, (long) Size.COPIES * bytes / UNIT);
            var callers = CallerScope.current().equals(CallerScope.SERVER) ? SERVER : CallerScope.sharers();
            var want = new Want(callers, needed, Policy.SHARE, 0, needed);
            var patience = InlineRead.limit()
                    .map(limit -> new Patience(limit.toNanos()))
                    .orElse(WAIT);
            try {
                payer = CALLERS.take(want, patience)
                        .orElseThrow(() -> new ShareTakenException("other replies take the memory for large ones"));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MongoInterruptedException("interrupted while other large replies are received", e);
            }
            units = needed;
        }

        void release() {
            if (units > 0) {
                CALLERS.release(payer, units);
                units = 0;
            }
        }
    }

    private record Streams(InetAddressResolver resolver) implements StreamFactoryFactory {
        @Override
        public StreamFactory create(SocketSettings settings, SslSettings tls) {
            return address -> address instanceof UnixServerAddress
                    ? new SocketStreamFactory(resolver, settings, tls).create(address)
                    : new BoundedStream(address, resolver, settings, tls);
        }

        @Override
        public Executor getExecutor() {
            throw new UnsupportedOperationException("for clients that do not block");
        }

        @Override
        public void close() {}
    }

    /// A connection's socket.
    private static final class BoundedStream extends SocketStream {
        private static final int HEADER_LENGTH = 16;
        private static final int OP_COMPRESSED = 2012;

        private final Held decoding;

        /// Whether the next buffer is for a reply that is decompressed, and not for a command.
        private boolean decompresses;

        BoundedStream(ServerAddress address, InetAddressResolver resolver, SocketSettings settings, SslSettings tls) {
            this(address, resolver, settings, tls, new Held());
        }

        private BoundedStream(
                ServerAddress address,
                InetAddressResolver resolver,
                SocketSettings settings,
                SslSettings tls,
                Held decoding) {
            super(address, resolver, settings, tls, sockets(tls), size -> buffer(size, decoding));
            this.decoding = decoding;
        }

        private static SocketFactory sockets(SslSettings tls) {
            if (!tls.isEnabled()) {
                return SocketFactory.getDefault();
            }
            try {
                return Optional.ofNullable(tls.getContext())
                        .orElse(SSLContext.getDefault())
                        .getSocketFactory();
            } catch (NoSuchAlgorithmException e) {
                throw new MongoException("there is no TLS", e);
            }
        }

        private static ByteBuf buffer(int size, Held decoding) {
            if (size <= LARGE) {
                return PowerOfTwoBufferPool.DEFAULT.getBuffer(size);
            }
            boolean isOwned = READER.isBound();
            (isOwned ? READER.get() : decoding).take(size);
            return new ByteBufNIO(ByteBuffer.allocate(size)) {
                @Override
                public void release() {
                    super.release();
                    if (!isOwned && getReferenceCount() == 0) {
                        decoding.release();
                    }
                }
            };
        }

        /// For a command, or for a reply that is decompressed.
        @Override
        public ByteBuf getBuffer(int size) {
            boolean isReply = decompresses;
            decompresses = false;
            return isReply ? buffer(size, decoding) : PowerOfTwoBufferPool.DEFAULT.getBuffer(size);
        }

        @Override
        public void write(List<ByteBuf> buffers, OperationContext context) throws IOException {
            settled(); // a reader that goes on has memory for what it has
            super.write(buffers, context);
        }

        @Override
        public ByteBuf read(int bytes, OperationContext context) throws IOException {
            var received = super.read(bytes, context);
            if (bytes == HEADER_LENGTH) {
                decompresses = ((received.get(12) & 0xff) | ((received.get(13) & 0xff) << 8)) == OP_COMPRESSED;
            }
            return received;
        }
    }
}
