package org.restheart.core.metrics;

import com.mongodb.event.CommandEvent;
import com.mongodb.event.CommandFailedEvent;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import com.mongodb.event.CommandSucceededEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonReader;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.core.tracing.CommandSpan;
import org.restheart.http.SecretValues;
import org.restheart.http.trace.TraceScope;
import org.restheart.http.trace.TraceScope.TraceSpan;
import org.restheart.text.ShortText;
import org.restheart.text.Words;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Measures the commands of a MongoDB client, traces those of traced requests, and logs those that take long: what was
/// asked, never its values. The driver calls it on the thread that sends the command. Thread-safe.
public final class MongoCommands implements CommandListener {
    private static final Logger LOG = LoggerFactory.getLogger(MongoCommands.class);

    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30)
    };

    private final MeterRegistry meters;
    private final Counter slow;
    private final long slowNanos;
    private final Map<Labels, Timer> timers = new ConcurrentHashMap<>();

    /// By the number of the command within this process.
    private final Map<Integer, Sent> sent = new ConcurrentHashMap<>();

    private record Labels(String command, boolean isDone) {}

    /// @param waits whether the server answers late when nothing happens, as for a change stream
    /// @param shape of what the command asks, if it can be told
    private record Sent(
            String collection,
            boolean waits,
            @Nullable String shape,
            @Nullable TraceSpan span,
            @Nullable CommandSpan traced) {}

    /// @param slow what is logged takes longer; zero for nothing
    public MongoCommands(MeterRegistry meters, Duration slow) {
        this.meters = meters;
        this.slowNanos = slow.isZero() ? Long.MAX_VALUE : slow.toNanos();
        this.slow = Counter.builder("mongodb_slow_commands")
                .description("Commands that took longer than mclient.slow-command-ms")
                .register(meters);
    }

    @Override
    public void commandStarted(CommandStartedEvent event) {
        var name = event.getCommandName();
        var command = event.getCommand();
        boolean isMore = name.equals("getMore");
        var named = command.get(isMore ? "collection" : name); // by some commands something else, or nothing
        var collection = named != null && named.isString() ? named.asString().getValue() : "";
        var span = TraceScope.current();
        sent.put(
                event.getRequestId(),
                new Sent(
                        collection,
                        isMore && command.containsKey("maxTimeMS"),
                        slowNanos == Long.MAX_VALUE ? null : Shape.of(name, command),
                        span,
                        CommandSpan.begin(span, event, collection)));
    }

    @Override
    public void commandSucceeded(CommandSucceededEvent event) {
        ended(event, event.getElapsedTime(TimeUnit.NANOSECONDS), null);
    }

    @Override
    public void commandFailed(CommandFailedEvent event) {
        ended(event, event.getElapsedTime(TimeUnit.NANOSECONDS), event.getThrowable());
    }

    private void ended(CommandEvent event, long nanos, @Nullable Throwable failure) {
        var command = sent.remove(event.getRequestId());
        if (command != null && command.traced != null) {
            command.traced.end(failure);
        }
        if (command == null || command.waits) {
            return;
        }
        if (command.span != null) {
            command.span.count("mongo", nanos);
        }
        timers.computeIfAbsent(new Labels(event.getCommandName(), failure == null), this::timer)
                .record(nanos, TimeUnit.NANOSECONDS);
        if (nanos > slowNanos) {
            slow.increment();
            log(event, command, nanos, failure == null);
        }
    }

    private Timer timer(Labels labels) {
        return Timer.builder("mongodb_driver_commands")
                .description("Duration of commands to MongoDB, without the wait for a connection")
                .tags("command", labels.command, "status", labels.isDone ? "SUCCESS" : "FAILED")
                .serviceLevelObjectives(BUCKETS)
                .register(meters);
    }

    private static void log(CommandEvent event, Sent command, long nanos, boolean isDone) {
        var namespace = event.getDatabaseName() + (command.collection.isEmpty() ? "" : "." + command.collection);
        LOG.warn(
                "slow command: {} {} {} {} ms{}{}",
                event.getCommandName(),
                SecretValues.masked(namespace),
                isDone ? "took" : "failed after",
                TimeUnit.NANOSECONDS.toMillis(nanos),
                command.shape == null ? "" : ", asks " + Shape.line(command.shape),
                command.span == null || command.span.traceId().isEmpty() ? "" : ", trace-id " + command.span.traceId());
    }

    /// What a command asks: its fields and operators, with `?` for each value. Read where the driver has written it,
    /// without decoding values: a command may have 48 MB, and most take no time.
    static final class Shape {
        private static final Set<String> SHOWN = Words.of(
                "filter query pipeline sort projection hint key q u collation limit skip multi upsert remove update");

        private static final Set<String> WITH_QUERY = Words.of("find aggregate count distinct findAndModify");
        private static final Map<String, String> STATEMENTS = Map.of("update", "updates", "delete", "deletes");
        private static final int MAX_LENGTH = 1_000;
        private static final int MAX_DEPTH = 20;
        private static final int MAX_VALUES = 100;

        private final StringBuilder text = new StringBuilder();
        private int values;

        private Shape() {}

        /// Of many statements the first; null for commands without a query.
        static @Nullable String of(String name, BsonDocument command) {
            var asking = WITH_QUERY.contains(name)
                    ? command
                    : STATEMENTS.containsKey(name) ? first(command.get(STATEMENTS.get(name))) : null;
            if (asking == null) {
                return null;
            }
            var shape = new Shape();
            try (var reader = asking.asBsonReader()) {
                shape.addDocument(reader, 0);
            }
            return shape.text.toString();
        }

        private static @Nullable BsonDocument first(@Nullable BsonValue list) {
            return list == null || !list.isArray() || list.asArray().isEmpty()
                    ? null
                    : list.asArray().getFirst().asDocument();
        }

        /// Whether it was read to its end.
        private boolean addDocument(BsonReader document, int depth) {
            document.readStartDocument();
            text.append('{');
            var separator = "";
            while (document.readBsonType() != BsonType.END_OF_DOCUMENT) {
                var name = document.readName();
                if (depth == 0 && !SHOWN.contains(name)) {
                    document.skipValue();
                    continue;
                }
                text.append(separator)
                        .append(name, 0, Math.min(name.length(), MAX_LENGTH))
                        .append(": ");
                separator = ", ";
                if (!addValue(document, depth + 1)) {
                    return false;
                }
            }
            document.readEndDocument();
            text.append('}');
            return true;
        }

        /// Members of one shape, such as the values of a list, are shown once.
        private boolean addArray(BsonReader array, int depth) {
            array.readStartArray();
            text.append('[');
            var last = "";
            while (array.readBsonType() != BsonType.END_OF_DOCUMENT) {
                int start = text.length();
                text.append(last.isEmpty() ? "" : ", ");
                int member = text.length();
                if (!addValue(array, depth + 1)) {
                    return false;
                }
                if (text.substring(member).equals(last)) {
                    text.setLength(start);
                } else {
                    last = text.substring(member);
                }
            }
            array.readEndArray();
            text.append(']');
            return true;
        }

        private boolean addValue(BsonReader reader, int depth) {
            if (text.length() > MAX_LENGTH || depth > MAX_DEPTH || ++values > MAX_VALUES) {
                text.append('…');
                return false;
            }
            return switch (reader.getCurrentBsonType()) {
                case DOCUMENT -> addDocument(reader, depth);
                case ARRAY -> addArray(reader, depth);
                default -> {
                    reader.skipValue();
                    text.append('?');
                    yield true;
                }
            };
        }

        /// For a line of the log.
        static String line(String shape) {
            return ShortText.of(SecretValues.masked(shape.replaceAll("\\p{Cntrl}", "?")), MAX_LENGTH);
        }
    }
}
