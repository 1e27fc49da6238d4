package org.restheart.bson;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDbPointer;
import org.bson.BsonDocument;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonRegularExpression;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.Decimal128;

/// BSON → JSON text of one mode, in one line: a blank after each colon and comma, and nowhere else. Text is
/// UTF-8; control characters and the like are escaped, and so are characters beyond U+FFFF. Immutable,
/// thread-safe.
public final class JsonEncoder {
    private static final Map<JsonMode, JsonEncoder> ENCODERS = Arrays.stream(JsonMode.values())
            .collect(Collectors.toMap(
                    mode -> mode,
                    mode -> new JsonEncoder(JsonFormat.of(mode)),
                    (a, _) -> a,
                    () -> new EnumMap<>(JsonMode.class)));

    private final JsonFormat format;

    private JsonEncoder(JsonFormat format) {
        this.format = format;
    }

    public static JsonEncoder of(JsonMode mode) {
        return Objects.requireNonNull(ENCODERS.get(mode));
    }

    /// Writes any value. A `RawBsonDocument`, also one inside a tree, goes straight from its bytes.
    ///
    /// @throws org.bson.BsonSerializationException if bytes are not BSON, or more than 256 levels deep; the
    ///     buffer then holds the part that was written before
    public void encode(BsonValue value, Utf8Buffer out) {
        new TreeJson(format, out).value(value, 0);
    }

    public String encodeToString(BsonValue value) {
        var out = new Utf8Buffer();
        encode(value, out);
        return out.toString();
    }

    /// Writes trees of BSON values as JSON; documents in them that are still bytes go to [RawJson].
    ///
    /// @param out confined to one thread
    private record TreeJson(JsonFormat format, Utf8Buffer out) {

        /// @param depth how many documents and arrays the value is in
        void value(BsonValue value, int depth) {
            switch (value.getBsonType()) {
                case DOUBLE -> format.float64(value.asDouble().getValue(), out);
                case STRING -> JsonStrings.quote(value.asString().getValue(), out);
                case DOCUMENT -> document(value.asDocument(), depth);
                case ARRAY -> array(value.asArray(), depth);
                case BINARY -> binary(value.asBinary());
                case UNDEFINED -> format.undefined(out);
                case OBJECT_ID -> format.objectId(value.asObjectId().getValue().toByteArray(), 0, out);
                case BOOLEAN -> out.ascii(value.asBoolean().getValue() ? "true" : "false");
                case DATE_TIME -> format.date(value.asDateTime().getValue(), out);
                case NULL -> out.ascii("null");
                case REGULAR_EXPRESSION -> regex(value.asRegularExpression());
                case DB_POINTER -> dbPointer(value.asDBPointer());
                case JAVASCRIPT -> wrapped("{\"$code\": ", value.asJavaScript().getCode());
                case SYMBOL -> wrapped("{\"$symbol\": ", value.asSymbol().getSymbol());
                case JAVASCRIPT_WITH_SCOPE -> codeWithScope(value.asJavaScriptWithScope(), depth);
                case INT32 -> format.int32(value.asInt32().getValue(), out);
                case TIMESTAMP -> timestamp(value.asTimestamp());
                case INT64 -> format.int64(value.asInt64().getValue(), out);
                case DECIMAL128 -> format.decimal128(value.asDecimal128().getValue(), out);
                case MIN_KEY -> format.minKey(out);
                case MAX_KEY -> format.maxKey(out);
                case END_OF_DOCUMENT -> throw new IllegalArgumentException("the end of a document is not a value");
            }
        }

        private void document(BsonDocument document, int depth) {
            if (document instanceof RawBsonDocument raw) {
                int from = raw.getByteOffset();
                new RawJson(raw.getBackingArray(), from, format, out).document(from + raw.getByteLength(), depth);
                return;
            }
            descend(depth);
            out.put('{');
            boolean first = true;
            for (var field : document.entrySet()) {
                if (!first) {
                    out.ascii(", ");
                }
                first = false;
                out.quoted(field.getKey()).ascii(": ");
                value(field.getValue(), depth + 1);
            }
            out.put('}');
        }

        private void array(BsonArray array, int depth) {
            descend(depth);
            out.put('[');
            boolean first = true;
            for (var element : array) {
                if (!first) {
                    out.ascii(", ");
                }
                first = false;
                value(element, depth + 1);
            }
            out.put(']');
        }

        private static void descend(int depth) {
            if (depth >= RawJson.MAX_DEPTH) {
                throw RawJson.tooDeep();
            }
        }

        private void wrapped(String opening, String text) {
            if (format.unwrapsText()) {
                out.quoted(text);
            } else {
                out.ascii(opening).quoted(text).put('}');
            }
        }

        private void binary(BsonBinary binary) {
            byte[] data = binary.getData();
            format.binary(binary.getType(), data, 0, data.length, out);
        }

        private void regex(BsonRegularExpression regex) {
            format.regex(regex.getPattern(), regex.getOptions(), out);
        }

        private void dbPointer(BsonDbPointer pointer) {
            format.dbPointer(pointer.getNamespace(), pointer.getId().toByteArray(), 0, out);
        }

        private void codeWithScope(BsonJavaScriptWithScope code, int depth) {
            if (format.unwrapsText()) {
                out.quoted(code.getCode());
                return;
            }
            out.ascii("{\"$code\": ").quoted(code.getCode()).ascii(", \"$scope\": ");
            document(code.getScope(), depth + 1);
            out.put('}');
        }

        private void timestamp(BsonTimestamp timestamp) {
            format.timestamp(timestamp.getTime(), timestamp.getInc(), out);
        }
    }

    /// Writes a document's bytes as JSON in one pass. Confined to one thread.
    static final class RawJson extends RawCursor {
        /// MongoDB itself stops at 200 levels.
        static final int MAX_DEPTH = 256;

        private static final byte[] TAG = {'_', 'e', 't', 'a', 'g'};

        private final JsonFormat format;
        private final Utf8Buffer out;

        RawJson(byte[] in, int at, JsonFormat format, Utf8Buffer out) {
            super(in, at);
            this.format = format;
            this.out = out;
        }

        /// Writes the document at the position.
        ///
        /// @param depth how many documents and arrays it is in
        /// @throws org.bson.BsonSerializationException if the bytes are not BSON; some output may have been
        ///     written
        void document(int limit, int depth) {
            int end = enter(limit);
            if (depth == MAX_DEPTH) {
                throw tooDeep();
            }
            out.put('{');
            boolean hidesTags = depth == 0 && format.hidesTags();
            boolean first = true;
            while (at < end) {
                byte type = in[at++];
                if (hidesTags && isTag(end)) {
                    skipName(end);
                    skip(type, end);
                    continue;
                }
                if (!first) {
                    out.put(',', ' ');
                }
                first = false;
                name(end);
                out.put(':', ' ');
                value(type, end, depth);
            }
            leave(end);
            out.put('}');
        }

        private boolean isTag(int end) {
            int length = TAG.length;
            return end - at > length && Arrays.equals(in, at, at + length, TAG, 0, length) && in[at + length] == 0;
        }

        private void array(int limit, int depth) {
            int end = enter(limit);
            if (depth == MAX_DEPTH) {
                throw tooDeep();
            }
            out.put('[');
            for (boolean first = true; at < end; first = false) {
                byte type = in[at++];
                if (!first) {
                    out.put(',', ' ');
                }
                skipName(end);
                value(type, end, depth);
            }
            leave(end);
            out.put(']');
        }

        private void leave(int end) {
            if (at != end) {
                throw corrupt("a value passes the end of its document");
            }
            at = end + 1;
        }

        static RuntimeException tooDeep() {
            return corrupt("documents and arrays are nested deeper than " + MAX_DEPTH + " levels");
        }

        private void name(int end) {
            int from = at;
            int plain = Utf8.plainEnd(in, from, end);
            if (plain < end && in[plain] == 0) {
                int to = out.room(plain - from + 2);
                byte[] bytes = out.bytes;
                bytes[to++] = '"';
                System.arraycopy(in, from, bytes, to, plain - from);
                to += plain - from;
                bytes[to++] = '"';
                out.length = to;
                at = plain + 1;
            } else {
                JsonStrings.quote(in, from, skipName(end), out);
            }
        }

        private void value(byte type, int end, int depth) {
            switch (type) {
                case BsonTypes.DOUBLE -> format.float64(Double.longBitsToDouble(int64(end)), out);
                case BsonTypes.STRING -> quoted(end);
                case BsonTypes.DOCUMENT -> document(end, depth + 1);
                case BsonTypes.ARRAY -> array(end, depth + 1);
                case BsonTypes.BINARY -> binary(end);
                case BsonTypes.UNDEFINED -> format.undefined(out);
                case BsonTypes.OBJECT_ID -> format.objectId(in, take(12, end), out);
                case BsonTypes.BOOLEAN -> bool(in[take(1, end)]);
                case BsonTypes.DATE -> format.date(int64(end), out);
                case BsonTypes.NULL -> out.ascii("null");
                case BsonTypes.REGEX -> regex(end);
                case BsonTypes.DB_POINTER -> format.dbPointer(text(end), in, take(12, end), out);
                case BsonTypes.CODE -> wrapped("{\"$code\": ", end);
                case BsonTypes.SYMBOL -> wrapped("{\"$symbol\": ", end);
                case BsonTypes.CODE_WITH_SCOPE -> codeWithScope(end, depth);
                case BsonTypes.INT32 -> format.int32(int32(end), out);
                case BsonTypes.TIMESTAMP -> {
                    int increment = int32(end);
                    format.timestamp(int32(end), increment, out);
                }
                case BsonTypes.INT64 -> format.int64(int64(end), out);
                case BsonTypes.DECIMAL128 -> {
                    long low = int64(end);
                    format.decimal128(Decimal128.fromIEEE754BIDEncoding(int64(end), low), out);
                }
                case BsonTypes.MIN_KEY -> format.minKey(out);
                case BsonTypes.MAX_KEY -> format.maxKey(out);
                default -> throw corrupt("there is no type " + type);
            }
        }

        private void quoted(int end) {
            int from = string(end);
            JsonStrings.quote(in, from, at - 1, out);
        }

        private void wrapped(String opening, int end) {
            if (format.unwrapsText()) {
                quoted(end);
                return;
            }
            out.ascii(opening);
            quoted(end);
            out.put('}');
        }

        private void bool(byte value) {
            if (value != 0 && value != 1) {
                throw corrupt("a boolean is neither 0 nor 1");
            }
            out.ascii(value == 1 ? "true" : "false");
        }

        private void binary(int end) {
            int length = int32(end);
            byte subtype = in[take(1, end)];
            if (subtype == 2) { // this old subtype repeats the length
                if (int32(end) != length - 4) {
                    throw corrupt("a binary value's two lengths differ");
                }
                length -= 4;
            }
            int from = take(length, end);
            format.binary(subtype, in, from, at, out);
        }

        private void regex(int end) {
            String pattern = cstring(end);
            // The driver's type puts the options in order.
            format.regex(pattern, new BsonRegularExpression(pattern, cstring(end)).getOptions(), out);
        }

        private void codeWithScope(int end, int depth) {
            int start = at;
            int length = int32(end);
            if (format.unwrapsText()) {
                quoted(end);
                skip(BsonTypes.DOCUMENT, end);
            } else {
                out.ascii("{\"$code\": ");
                quoted(end);
                out.ascii(", \"$scope\": ");
                document(end, depth + 1);
                out.put('}');
            }
            if (at - start != length) {
                throw corrupt("the length of code with scope is wrong");
            }
        }
    }
}
