package org.restheart.bson;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonSerializationException;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;

/// A position in BSON bytes, and reads that never pass an end. Confined to one thread.
class RawCursor {
    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    final byte[] in;
    int at;

    RawCursor(byte[] in, int at) {
        this.in = in;
        this.at = at;
    }

    /// Enters the document or array at the position.
    ///
    /// @param limit an index that it must not pass
    /// @return the index of its last byte, which is zero
    /// @throws BsonSerializationException if its length is invalid
    final int enter(int limit) {
        if (limit - at < 5) {
            throw corrupt("a document is cut off");
        }
        int length = (int) INT.get(in, at);
        if (length < 5 || length > limit - at || in[at + length - 1] != 0) {
            throw corrupt("a document's length is wrong");
        }
        int end = at + length - 1;
        at += 4;
        return end;
    }

    final int int32(int end) {
        int from = take(4, end);
        return (int) INT.get(in, from);
    }

    final long int64(int end) {
        int from = take(8, end);
        return (long) LONG.get(in, from);
    }

    /// Skips a number of bytes and returns the index of the first.
    final int take(int count, int end) {
        int from = at;
        if (count < 0 || count > end - from) {
            throw corrupt("a value is cut off");
        }
        at = from + count;
        return from;
    }

    /// Skips a string and returns the index of its text, which ends one byte (a zero) before the position.
    final int string(int end) {
        int length = int32(end);
        if (length < 1) {
            throw corrupt("a string's length is wrong");
        }
        int from = take(length, end);
        if (in[at - 1] != 0) {
            throw corrupt("a string does not end with a zero byte");
        }
        return from;
    }

    final String text(int end) {
        int from = string(end);
        return new String(in, from, at - 1 - from, StandardCharsets.UTF_8);
    }

    /// Moves over text that a zero byte ends and returns the index of that byte.
    final int skipName(int end) {
        int i = at;
        while (in[i] != 0) {
            i++;
        }
        // The document's last byte is zero, so the loop stops there at the latest; a name must stop before.
        if (i >= end) {
            throw corrupt("a field name is cut off");
        }
        at = i + 1;
        return i;
    }

    final String cstring(int end) {
        int from = at;
        return new String(in, from, skipName(end) - from, StandardCharsets.UTF_8);
    }

    final void skip(byte type, int end) {
        switch (type) {
            case BsonTypes.DOUBLE, BsonTypes.DATE, BsonTypes.TIMESTAMP, BsonTypes.INT64 -> take(8, end);
            case BsonTypes.STRING, BsonTypes.CODE, BsonTypes.SYMBOL -> string(end);
            case BsonTypes.DOCUMENT, BsonTypes.ARRAY -> at = enter(end) + 1;
            case BsonTypes.BINARY -> {
                int length = int32(end);
                take(1, end);
                take(length, end);
            }
            case BsonTypes.UNDEFINED, BsonTypes.NULL, BsonTypes.MIN_KEY, BsonTypes.MAX_KEY -> {}
            case BsonTypes.OBJECT_ID -> take(12, end);
            case BsonTypes.BOOLEAN -> take(1, end);
            case BsonTypes.REGEX -> {
                skipName(end);
                skipName(end);
            }
            case BsonTypes.DB_POINTER -> {
                string(end);
                take(12, end);
            }
            case BsonTypes.CODE_WITH_SCOPE -> {
                int length = int32(end);
                take(length - 4, end);
            }
            case BsonTypes.INT32 -> take(4, end);
            case BsonTypes.DECIMAL128 -> take(16, end);
            default -> throw corrupt("there is no type " + type);
        }
    }

    /// Moves over a value and decodes it; documents and arrays stay bytes.
    final BsonValue value(byte type, int end) {
        int from = at;
        return switch (type) {
            case BsonTypes.OBJECT_ID -> {
                take(12, end);
                yield new BsonObjectId(new ObjectId(Arrays.copyOfRange(in, from, at)));
            }
            case BsonTypes.STRING -> new BsonString(text(end));
            case BsonTypes.INT32 -> new BsonInt32(int32(end));
            case BsonTypes.INT64 -> new BsonInt64(int64(end));
            case BsonTypes.DOCUMENT -> {
                skip(type, end);
                yield new RawBsonDocument(in, from, at - from);
            }
            default -> {
                skip(type, end);
                yield decode(type, from);
            }
        };
    }

    /// Decodes the value between an index and the position with the driver.
    private BsonValue decode(byte type, int from) {
        var out = new BsonBuffer(BsonSink.ROOT + at - from + 1);
        out.gap();
        out.put(type);
        out.put((byte) 0);
        out.put(in, from, at);
        out.put((byte) 0);
        out.fill(0, out.length);
        return Objects.requireNonNull(new RawBsonDocument(out.bytes, 0, out.length).get(""));
    }

    static BsonSerializationException corrupt(String message) {
        return new BsonSerializationException("corrupt BSON: " + message);
    }
}
