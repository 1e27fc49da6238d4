package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
import org.restheart.http.access.Account;
import org.restheart.http.module.PresentedCredential;
import org.restheart.text.ShortText;
import org.restheart.text.Words;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs each call as one line of JSON to a separate logger: account, tool, shape of the arguments, and outcome. Logs no
/// documents, tokens or passwords. Thread-safe.
record ToolAuditLog(boolean on, boolean values, InstantSource clock) {
    static final String LOGGER = "org.restheart.audit";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
    private static final JsonEncoder JSON = JsonEncoder.of(JsonMode.RELAXED);
    private static final int MAX_VALUES = 2_048;
    private static final int MAX_SHAPE = 4_096;

    /// Arguments that contain queries; all others contain names and numbers.
    private static final Set<String> SHAPED = Words.of("""
        filter pipeline update documents variables projection sort
        """);

    private static final Set<String> NEVER = Set.of("confirmation", "cursor", "after", "id", "etag");

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

    /// @param outcome `done`, `asked`, `failed`, `malformed`, or the reason of the refusal
    void log(Call call, String outcome, Map<String, Long> numbers) {
        if (!on) {
            return;
        }
        var line = caller(call);
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

    private BsonDocument caller(Call call) {
        var http = call.http();
        var line = object("time", clock.instant().toString(), "request", http.id());
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
