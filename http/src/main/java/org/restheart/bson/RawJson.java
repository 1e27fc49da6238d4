package org.restheart.bson;

import java.util.Arrays;
import org.bson.BsonRegularExpression;
import org.bson.types.Decimal128;

/// Writes a document's bytes as JSON in one pass. Confined to one thread.
final class RawJson extends RawCursor {
    /// MongoDB itself stops at 200 levels.
    static final int MAX_DEPTH = 256;

    private static final byte[] TAG = {'_', 'e', 't', 'a', 'g'};

    private final Spelling spelling;
    private final Utf8Buffer out;

    RawJson(byte[] in, int at, Spelling spelling, Utf8Buffer out) {
        super(in, at);
        this.spelling = spelling;
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
        out.add((byte) '{');
        boolean hidesTags = depth == 0 && spelling.hidesTags();
        boolean first = true;
        while (at < end) {
            byte type = in[at++];
            if (hidesTags && isTag(end)) {
                skipName(end);
                skip(type, end);
                continue;
            }
            if (!first) {
                out.add(',', ' ');
            }
            first = false;
            name(end);
            out.add(':', ' ');
            value(type, end, depth);
        }
        leave(end);
        out.add((byte) '}');
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
        out.add((byte) '[');
        for (boolean first = true; at < end; first = false) {
            byte type = in[at++];
            if (!first) {
                out.add(',', ' ');
            }
            skipName(end);
            value(type, end, depth);
        }
        leave(end);
        out.add((byte) ']');
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
            case BsonTypes.DOUBLE -> spelling.float64(Double.longBitsToDouble(int64(end)), out);
            case BsonTypes.STRING -> quoted(end);
            case BsonTypes.DOCUMENT -> document(end, depth + 1);
            case BsonTypes.ARRAY -> array(end, depth + 1);
            case BsonTypes.BINARY -> binary(end);
            case BsonTypes.UNDEFINED -> spelling.undefined(out);
            case BsonTypes.OBJECT_ID -> spelling.objectId(in, take(12, end), out);
            case BsonTypes.BOOLEAN -> bool(in[take(1, end)]);
            case BsonTypes.DATE -> spelling.date(int64(end), out);
            case BsonTypes.NULL -> out.addAscii("null");
            case BsonTypes.REGEX -> regex(end);
            case BsonTypes.DB_POINTER -> spelling.dbPointer(text(end), in, take(12, end), out);
            case BsonTypes.CODE -> wrapped("{\"$code\": ", end);
            case BsonTypes.SYMBOL -> wrapped("{\"$symbol\": ", end);
            case BsonTypes.CODE_WITH_SCOPE -> codeWithScope(end, depth);
            case BsonTypes.INT32 -> spelling.int32(int32(end), out);
            case BsonTypes.TIMESTAMP -> {
                int increment = int32(end);
                spelling.timestamp(int32(end), increment, out);
            }
            case BsonTypes.INT64 -> spelling.int64(int64(end), out);
            case BsonTypes.DECIMAL128 -> {
                long low = int64(end);
                spelling.decimal128(Decimal128.fromIEEE754BIDEncoding(int64(end), low), out);
            }
            case BsonTypes.MIN_KEY -> spelling.minKey(out);
            case BsonTypes.MAX_KEY -> spelling.maxKey(out);
            default -> throw corrupt("there is no type " + type);
        }
    }

    private void quoted(int end) {
        int from = string(end);
        JsonStrings.quote(in, from, at - 1, out);
    }

    private void wrapped(String opening, int end) {
        if (spelling.unwrapsText()) {
            quoted(end);
            return;
        }
        out.addAscii(opening);
        quoted(end);
        out.add((byte) '}');
    }

    private void bool(byte value) {
        if (value != 0 && value != 1) {
            throw corrupt("a boolean is neither 0 nor 1");
        }
        out.addAscii(value == 1 ? "true" : "false");
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
        spelling.binary(subtype, in, from, at, out);
    }

    private void regex(int end) {
        String pattern = cstring(end);
        // The driver's type puts the options in order.
        spelling.regex(pattern, new BsonRegularExpression(pattern, cstring(end)).getOptions(), out);
    }

    private void codeWithScope(int end, int depth) {
        int start = at;
        int length = int32(end);
        if (spelling.unwrapsText()) {
            quoted(end);
            skip(BsonTypes.DOCUMENT, end);
        } else {
            out.addAscii("{\"$code\": ");
            quoted(end);
            out.addAscii(", \"$scope\": ");
            document(end, depth + 1);
            out.add((byte) '}');
        }
        if (at - start != length) {
            throw corrupt("the length of code with scope is wrong");
        }
    }
}
