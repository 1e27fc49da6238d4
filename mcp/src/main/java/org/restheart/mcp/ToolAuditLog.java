package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Request;
import org.restheart.http.SerialTasks;
import org.restheart.http.ShortText;
import org.restheart.http.Words;
import org.restheart.http.access.Account;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs each call as one line of JSON to a separate logger: account, tool, shape of the arguments, and outcome. Logs no
/// documents, tokens or passwords. Thread-safe.
final class ToolAuditLog {
    static final String LOGGER = "org.restheart.audit";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);
    private static final Logger ERRORS = LoggerFactory.getLogger(ToolAuditLog.class);
    private static final int MAX_WAITING = 8_192;

    /// The lines of this time are written together.
    private static final Duration PAUSE = Duration.ofMillis(10);

    private static final Duration MAX_DRAIN = Duration.ofSeconds(10);

    /// Bytes of the requests that wait with their lines, which do not count as content any more.
    private static final int MAX_WAITING_BYTES = 4 << 20;

    /// Bytes of the content of such a request.
    private static final int MAX_REQUEST_BYTES = 64 << 10;

    private static final int MAX_VALUES = 2_048;
    private static final int MAX_SHAPE = 4_096;

    /// Arguments that contain queries; all others contain names and numbers.
    private static final Set<String> SHAPED = Words.of("""
                    filter pipeline update documents variables projection sort
                    """);

    private static final Set<String> NEVER = Set.of("confirmation", "cursor", "after", "id", "etag");

    private final boolean on;
    private final boolean values;
    private final InstantSource clock;
    private final SerialTasks lines = new SerialTasks("mcp-audit", PAUSE);
    private final AtomicLong waitingBytes = new AtomicLong();

    ToolAuditLog(boolean on, boolean values, InstantSource clock) {
        this.on = on;
        this.values = values;
        this.clock = clock;
    }

    /// What is recorded of a call.
    ///
    /// @param rpc empty if the request was refused before its content was read
    /// @param name of the tool, or the method of a request without one
    /// @param arguments as sent
    record Call(
            Request http,
            Optional<RpcRequest> rpc,
            PresentedCredential credential,
            String name,
            BsonDocument arguments) {
        static Call of(RpcRequest rpc, String name, BsonDocument arguments) {
            return new Call(rpc.http(), Optional.of(rpc), rpc.credential(), name, arguments);
        }
    }

    /// Whether [#logLater] has room for a call of this request; beyond, callers wait for the log themselves.
    boolean mayLogLater(Request http) {
        return bytes(http) <= MAX_REQUEST_BYTES
                && lines.waiting() < MAX_WAITING
                && waitingBytes.get() < MAX_WAITING_BYTES;
    }

    private static long bytes(Request http) {
        return http.body().isHere() ? http.body().bytes().length : 0;
    }

    /// As [#log], on another thread, for threads that must not wait for the log.
    void logLater(Call call, String outcome, Map<String, Long> numbers) {
        if (!on) {
            return;
        }
        var time = clock.instant();
        long bytes = bytes(call.http());
        waitingBytes.addAndGet(bytes);
        lines.execute(() -> {
            waitingBytes.addAndGet(-bytes);
            log(call, outcome, numbers, time);
        });
    }

    /// Waits until all lines are logged, since the process does not wait for their thread.
    void drain() {
        if (!lines.drain(MAX_DRAIN)) {
            ERRORS.error("lines of the audit log are missing: {}", lines.waiting());
        }
    }

    /// @param outcome `done`, `asked`, `failed`, `malformed`, or the reason of the refusal
    void log(Call call, String outcome, Map<String, Long> numbers) {
        if (on) {
            log(call, outcome, numbers, clock.instant());
        }
    }

    private void log(Call call, String outcome, Map<String, Long> numbers, Instant time) {
        var line = caller(call, time);
        var arguments = call.arguments();
        line.append("tool", new BsonString(Fence.cut(call.name())));
        if (arguments.get("database") instanceof BsonString database) {
            var collection = arguments.get("collection") instanceof BsonString name ? "." + name.getValue() : "";
            line.append("namespace", new BsonString(Fence.cut(database.getValue() + collection)));
        }
        addArguments(line, arguments);
        numbers.forEach((name, number) -> line.append(name, new BsonInt64(number)));
        confirmation(call).ifPresent(how -> line.append("confirmation", new BsonString(how)));
        LOG.info("{}", Fence.escaped(JSON.encodeToString(line.append("outcome", new BsonString(outcome)))));
    }

    /// Whether a confirmation was given, and by whom.
    private static Optional<String> confirmation(Call call) {
        if (call.rpc().filter(sent -> sent.params().containsKey("requestState")).isPresent()) {
            return Optional.of("answered by the user");
        }
        return call.arguments().containsKey("confirmation") ? Optional.of("given") : Optional.empty();
    }

    private BsonDocument caller(Call call, Instant time) {
        var http = call.http();
        var line = object("time", time.toString(), "request", http.id());
        http.caller().account().map(Account::name).ifPresent(name -> line.append("account", new BsonString(name)));
        call.credential().keyHandle().ifPresent(handle -> line.append("key", new BsonString(handle)));
        call.rpc().flatMap(RpcRequest::clientInfo).ifPresent(client -> line.append("client", cut(client, 300)));
        call.rpc()
                .ifPresent(sent ->
                        line.append("version", new BsonString(sent.revision().version())));
        call.rpc()
                .flatMap(RpcRequest::traceparent)
                .or(() -> http.headers().first("traceparent"))
                .ifPresent(trace -> line.append("traceparent", new BsonString(Fence.cut(trace))));
        return line;
    }

    private void addArguments(BsonDocument line, BsonDocument arguments) {
        var shape = new BsonDocument();
        arguments.forEach((name, value) -> {
            if (SHAPED.contains(name)) {
                shape.append(name, shape(value, 0));
            }
        });
        if (!shape.isEmpty()) {
            line.append("shape", cut(shape, MAX_SHAPE));
        }
        if (values) {
            var shown = new BsonDocument();
            arguments.forEach((name, value) -> {
                if (!NEVER.contains(name) && !name.equals("documents")) {
                    shown.append(name, value);
                }
            });
            line.append("values", cut(shown, MAX_VALUES));
        }
    }

    /// The value, or its text shortened to the limit.
    private static BsonValue cut(BsonDocument value, int most) {
        if (maxJsonLength(value) <= most) {
            return value;
        }
        var text = JSON.encodeToString(value);
        return text.length() <= most ? value : new BsonString(ShortText.of(text, most));
    }

    /// At least the length of the JSON of a value, without writing it.
    private static long maxJsonLength(BsonValue value) {
        return switch (value) {
            case BsonDocument document -> {
                long sum = 2;
                for (var member : document.entrySet()) {
                    sum += 6L * member.getKey().length() + 6 + maxJsonLength(member.getValue());
                }
                yield sum;
            }
            case BsonArray array ->
                2
                        + array.stream()
                                .mapToLong(element -> 2 + maxJsonLength(element))
                                .sum();
            case BsonString text -> 2 + 6L * text.getValue().length();
            case BsonNumber _ -> 60;
            case BsonBoolean _ -> 5;
            default -> Integer.MAX_VALUE;
        };
    }

    /// The value with names and operators, and with types in place of scalars.
    private static BsonValue shape(BsonValue value, int depth) {
        if (value instanceof BsonDocument document && depth < 16) {
            var shape = new BsonDocument();
            document.forEach((name, member) -> shape.append(Fence.cut(name), shape(member, depth + 1)));
            return shape;
        }
        if (value instanceof BsonArray array && depth < 16) {
            var shape = new BsonArray();
            array.stream().limit(20).forEach(member -> shape.add(shape(member, depth + 1)));
            return shape;
        }
        return new BsonString(
                value.getBsonType().name().toLowerCase(Locale.ROOT).replace('_', ' '));
    }
}
