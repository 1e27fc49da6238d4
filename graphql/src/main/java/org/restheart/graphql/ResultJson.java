package org.restheart.graphql;

import graphql.ExecutionResult;
import graphql.GraphQLError;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDouble;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.ShortText;
import org.restheart.http.TimeSlices;

/// Writes results as JSON. Confined to one thread.
final class ResultJson {
    private static final JsonEncoder VALUES = JsonEncoder.of(JsonMode.DEFAULT);

    /// Characters of an error's message.
    private static final int MAX_MESSAGE = 2_000;

    private final Utf8Buffer out = new Utf8Buffer();
    private final TimeSlices slices = new TimeSlices();
    private final int maxBytes;

    private ResultJson(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /// A result exceeds the limit.
    static final class TooLong extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooLong() {
            super(null, null, false, false);
        }
    }

    /// @throws TooLong when it has more than `maxBytes`
    static Utf8Buffer of(ExecutionResult result, Map<String, ?> extensions, int maxBytes) {
        var body = new LinkedHashMap<String, @Nullable Object>();
        if (!result.getErrors().isEmpty()) {
            body.put(
                    "errors",
                    result.getErrors().stream().map(ResultJson::shortened).toList());
        }
        if (result.isDataPresent()) {
            body.put("data", result.getData());
        }
        if (!extensions.isEmpty()) {
            body.put("extensions", extensions);
        }
        var json = new ResultJson(maxBytes);
        json.write(body);
        return json.out;
    }

    /// Messages repeat variables, however long these are.
    private static Map<String, Object> shortened(GraphQLError error) {
        var members = new LinkedHashMap<>(error.toSpecification());
        members.computeIfPresent("message", (_, text) -> ShortText.of(text.toString(), MAX_MESSAGE));
        return members;
    }

    private void write(@Nullable Object value) {
        switch (value) {
            case null -> out.ascii("null");
            case BsonValue bson -> VALUES.encode(bson, out);
            case String text -> VALUES.encode(new BsonString(text), out);
            case Boolean truth -> out.ascii(truth ? "true" : "false");
            case Integer number -> out.decimal(number);
            case Long number -> out.decimal(number);
            case Double number -> VALUES.encode(new BsonDouble(number), out);
            case Map<?, ?> map -> writeMap(map);
            case List<?> list -> writeList(list);
            case java.math.BigInteger number -> out.ascii(number.toString());
            case java.math.BigDecimal number -> out.ascii(number.toString());
            default -> VALUES.encode(new BsonString(value.toString()), out);
        }
        if (out.length() > maxBytes) {
            throw new TooLong();
        }
        slices.step();
    }

    private void writeMap(Map<?, ?> map) {
        char separator = '{';
        for (var member : map.entrySet()) {
            out.put(separator);
            separator = ',';
            writeName(String.valueOf(member.getKey()));
            out.put(':');
            write(member.getValue());
        }
        if (separator == '{') {
            out.put('{');
        }
        out.put('}');
    }

    /// Names of fields need no escapes.
    private void writeName(String name) {
        if (name.chars().allMatch(ResultJson::isNameCharacter)) {
            out.put('"');
            out.ascii(name);
            out.put('"');
        } else {
            VALUES.encode(new BsonString(name), out);
        }
    }

    private static boolean isNameCharacter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }

    private void writeList(List<?> list) {
        out.put('[');
        boolean first = true;
        for (var element : list) {
            if (!first) {
                out.put(',');
            }
            first = false;
            write(element);
        }
        out.put(']');
    }
}
