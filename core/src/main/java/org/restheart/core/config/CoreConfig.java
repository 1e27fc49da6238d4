package org.restheart.core.config;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Problem;

/// `core`. Where 0 in the file stands for another number, it is that one; `MAX_VALUE` is no limit.
public record CoreConfig(
        String name,
        Optional<String> baseUrl,
        int ioThreads,
        int workersParallelism,
        int workersMaxPoolSize,
        int bufferSize,
        boolean directBuffers,
        boolean forceGzipEncoding,
        boolean allowUnescapedCharactersInUrl,
        int maxConnections,
        int maxConnectionsPerAddress,
        int maxInFlightRequests,
        long maxBufferedContent,
        long maxAnonymousContent,
        long maxBufferedResponses,
        long maxStreamedContent,
        ErrorBodies errorBodies,
        boolean problemDetails,
        Duration warmUp,
        Duration gracePeriod,
        Duration drainTimeout) {

    /// The part of the heap that is assumed for a connection: more than an idle one needs.
    private static final int CONNECTION_BYTES = 24 << 10;

    private static final int MIN_CONNECTIONS = 1_000;

    /// The files that the server itself opens: connections to MongoDB (128, and one for each cursor of change
    /// streams) and to targets of proxies, and files.
    private static final long OWN_FILES = 1_000;

    /// Reads the block.
    static CoreConfig read(Block block, int cores, long maxHeap) {
        int ioThreads = block.integer("io-threads");
        int wanted = block.integer("workers-scheduler-parallelism");
        int parallelism = wanted > 0 ? wanted : Math.max(1, cores * 3 / 2);
        int maxPoolSize = block.integer("workers-scheduler-max-pool-size");
        if (maxPoolSize < wanted) {
            block.refuse(
                    "workers-scheduler-max-pool-size",
                    "must be at least workers-scheduler-parallelism, which is " + wanted + ", but was " + maxPoolSize);
        }
        int maxConnections = connections(block, maxHeap);
        int ofAddress = block.integer("max-connections-per-address");
        int maxInFlight = block.integer("max-in-flight-requests");
        long maxContent = block.longInteger("max-buffered-content");
        long content = maxContent > 0 ? maxContent : MemoryBudget.Part.CONTENT.of(maxHeap);
        long maxAnonymous = block.longInteger("max-anonymous-content");
        long maxResponses = block.longInteger("max-buffered-responses");
        long maxStreamed = block.longInteger("max-streamed-content");
        return new CoreConfig(
                block.text("name"),
                block.url("base-url"),
                ioThreads > 0 ? ioThreads : cores,
                parallelism,
                Math.max(parallelism, maxPoolSize),
                block.integer("buffer-size"),
                block.bool("direct-buffers"),
                block.bool("force-gzip-encoding"),
                block.bool("allow-unescaped-characters-in-url"),
                maxConnections,
                ofAddress > 0 ? ofAddress : Integer.MAX_VALUE,
                maxInFlight > 0 ? maxInFlight : Integer.MAX_VALUE,
                content,
                maxAnonymous > 0
                        ? maxAnonymous
                        : Math.min(content, Math.max(ConnectionOptions.DEFAULT_MAX_ENTITY_SIZE, content / 4)),
                maxResponses > 0 ? maxResponses : MemoryBudget.Part.DATA.of(maxHeap),
                maxStreamed > 0 ? maxStreamed : Long.MAX_VALUE,
                block.oneOf("error-bodies", ErrorBodies.class),
                block.bool("problem-details"),
                block.duration("warm-up-seconds"),
                block.duration("grace-period-ms"),
                block.duration("drain-timeout-ms"));
    }

    /// By default as many as fit into the heap; never more than the process may open files. Where it can open no more,
    /// XNIO accepts no connection for up to 30 seconds after others have been closed.
    private static int connections(Block block, long maxHeap) {
        int wanted = block.integer("max-connections");
        long files = filesForConnections();
        if (wanted > files) {
            block.suspect(
                    "max-connections",
                    "is " + wanted + ", but the process may open files for " + files
                            + " connections only, which is the limit (ulimit -n)");
        }
        long inHeap = Math.max(MIN_CONNECTIONS, maxHeap / CONNECTION_BYTES);
        return (int) Math.min(Math.max(2, files), wanted > 0 ? wanted : Math.min(inHeap, Integer.MAX_VALUE));
    }

    /// As many as the process may open files, less those of the server itself.
    private static long filesForConnections() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                        && system.getMaxFileDescriptorCount() > 0
                ? system.getMaxFileDescriptorCount() - Math.min(OWN_FILES, system.getMaxFileDescriptorCount() / 4)
                : Integer.MAX_VALUE;
    }

    /// `core.error-bodies`: which problems have a body in their response, and whether it says what the client can do.
    public enum ErrorBodies {
        /// All problems that have a message.
        HELPFUL,
        /// Only those that had a body in earlier versions.
        MINIMAL;

        public boolean include(Problem problem) {
            return switch (problem.disclosure()) {
                case ALWAYS -> true;
                case UNLESS_MINIMAL -> this == HELPFUL;
            };
        }

        /// The problem as far as its response shows it.
        public Problem shown(Problem problem) {
            return this == HELPFUL ? problem : problem.withoutHints();
        }
    }
}
