package org.restheart.bson;

import java.util.Arrays;
import org.bson.BsonRegularExpression;
import org.bson.types.Decimal128;

/// Writes a document's bytes as JSON in one pass. Confined to one thread.
final class RawJson extends RawCursor {
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
    /// @throws org.bson.BsonSerializationException if the bytes are not BSON; some output may have been written
    void document(int limit, int depth) {
        int end = enter(limit);
        if (depth == MAX_DEPTH) {
            throw tooDeep();
        }
        out.put('{');
        boolean hidesTags = depth == 0 && format.hidesTags;
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
        if (format.unwrapsText) {
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
        if (format.unwrapsText) {
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
