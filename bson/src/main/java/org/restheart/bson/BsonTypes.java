package org.restheart.bson;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.bson.BsonType;

/// The types of values: their bytes (bsonspec.org), and their names in `$type` and `bsonType`.
public final class BsonTypes {
    static final byte DOUBLE = 0x01;
    static final byte STRING = 0x02;
    static final byte DOCUMENT = 0x03;
    static final byte ARRAY = 0x04;
    static final byte BINARY = 0x05;
    static final byte UNDEFINED = 0x06;
    static final byte OBJECT_ID = 0x07;
    static final byte BOOLEAN = 0x08;
    static final byte DATE = 0x09;
    static final byte NULL = 0x0a;
    static final byte REGEX = 0x0b;
    static final byte DB_POINTER = 0x0c;
    static final byte CODE = 0x0d;
    static final byte SYMBOL = 0x0e;
    static final byte CODE_WITH_SCOPE = 0x0f;
    static final byte INT32 = 0x10;
    static final byte TIMESTAMP = 0x11;
    static final byte INT64 = 0x12;
    static final byte DECIMAL128 = 0x13;
    static final byte MIN_KEY = -1;
    static final byte MAX_KEY = 0x7f;

    private static final Map<String, BsonType> BY_NAME = Arrays.stream(BsonType.values())
            .filter(type -> type != BsonType.END_OF_DOCUMENT)
            .collect(Collectors.toUnmodifiableMap(BsonTypes::name, type -> type));

    private BsonTypes() {}

    public static String name(BsonType type) {
        return switch (type) {
            case INT32 -> "int";
            case INT64 -> "long";
            case OBJECT_ID -> "objectId";
            case DATE_TIME -> "date";
            case BOOLEAN -> "bool";
            case DOCUMENT -> "object";
            case BINARY -> "binData";
            case DECIMAL128 -> "decimal";
            case REGULAR_EXPRESSION -> "regex";
            case MIN_KEY -> "minKey";
            case MAX_KEY -> "maxKey";
            case DB_POINTER -> "dbPointer";
            case JAVASCRIPT_WITH_SCOPE -> "javascriptWithScope";
            default -> type.name().toLowerCase(Locale.ROOT);
        };
    }

    /// The type of a name; empty if MongoDB does not know it.
    public static Optional<BsonType> named(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }
}
