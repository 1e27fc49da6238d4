package org.restheart.bson;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/// What trees of BSON take in memory, as measured, before there are any: an array of numbers twice its bytes, and one
/// of objects with a field ten times. Texts, names and binary data are not counted: they take as much as their bytes,
/// and twice as much where a few characters are beyond Latin-1.
public final class TreeSizes {
    private static final int DOCUMENT = 150;
    private static final int ARRAY = 100;

    /// A field of a document: its name, and its place in a map.
    private static final int FIELD = 100;

    /// A place in a list, which grows.
    private static final int ELEMENT = 8;

    private static final int OTHER = 110;

    private TreeSizes() {}

    /// In bytes. What is a tree already counts, too.
    ///
    /// @throws org.bson.BsonSerializationException if the bytes are not BSON
    public static long of(BsonValue value) {
        return switch (value) {
            case RawBsonDocument document ->
                DOCUMENT
                        + ofMembers(
                                document.getBackingArray(), document.getByteOffset(), document.getByteLength(), FIELD);
            case BsonDocument document ->
                DOCUMENT
                        + document.values().stream()
                                .mapToLong(member -> FIELD + of(member))
                                .sum();
            case BsonArray array ->
                ARRAY
                        + array.stream()
                                .mapToLong(element -> ELEMENT + of(element))
                                .sum();
            case BsonJavaScriptWithScope code -> OTHER + of(code.getScope());
            default -> ofSingle((byte) value.getBsonType().getValue());
        };
    }

    private static long ofMembers(byte[] bytes, int start, int length, int each) {
        var cursor = new RawCursor(bytes, start);
        int end = cursor.enter(start + length);
        long size = 0;
        while (cursor.at < end) {
            byte type = bytes[cursor.at++];
            cursor.skipName(end);
            int from = cursor.at;
            cursor.skip(type, end);
            size += each
                    + switch (type) {
                        case BsonTypes.DOCUMENT -> DOCUMENT + ofMembers(bytes, from, cursor.at - from, FIELD);
                        case BsonTypes.ARRAY -> ARRAY + ofMembers(bytes, from, cursor.at - from, ELEMENT);
                        case BsonTypes.CODE_WITH_SCOPE -> OTHER + ofScope(bytes, from, cursor.at);
                        default -> ofSingle(type);
                    };
        }
        return size;
    }

    /// @param start of the code with its scope, a document
    private static long ofScope(byte[] bytes, int start, int end) {
        var cursor = new RawCursor(bytes, start + Integer.BYTES);
        cursor.string(end);
        return DOCUMENT + ofMembers(bytes, cursor.at, end - cursor.at, FIELD);
    }

    private static long ofSingle(byte type) {
        return switch (type) {
            case BsonTypes.NULL, BsonTypes.BOOLEAN -> 0; // one for all
            case BsonTypes.INT32,
                    BsonTypes.INT64,
                    BsonTypes.DOUBLE,
                    BsonTypes.DATE,
                    BsonTypes.TIMESTAMP,
                    BsonTypes.UNDEFINED,
                    BsonTypes.MIN_KEY,
                    BsonTypes.MAX_KEY -> 24;
            case BsonTypes.STRING, BsonTypes.SYMBOL, BsonTypes.CODE -> 64;
            case BsonTypes.BINARY, BsonTypes.OBJECT_ID, BsonTypes.DECIMAL128 -> 48;
            default -> OTHER;
        };
    }
}
