package org.restheart.graphql;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// Bytes of heap that values take. A value counts as what was decoded for it.
final class HeapSizes {
    private static final int ELEMENT = 50;

    private HeapSizes() {}

    /// The memory of an argument, but for what it shares with others.
    static long unshared(@Nullable Object value, Set<@Nullable Object> shared) {
        if (shared.contains(value)) {
            return 0;
        }
        return switch (value) {
            case BsonValue bson -> of(bson);
            case Map<?, ?> members -> {
                long bytes = 2L * ELEMENT;
                for (var member : members.values()) {
                    bytes += 2L * ELEMENT + unshared(member, shared);
                }
                yield bytes;
            }
            case List<?> list -> {
                long bytes = ELEMENT;
                for (var element : list) {
                    bytes += ELEMENT + unshared(element, shared);
                }
                yield bytes;
            }
            case null, default -> of(value);
        };
    }

    /// The memory of what was decoded for a value. Documents within documents are views of their bytes.
    static long of(@Nullable Object value) {
        return switch (value) {
            case String text -> text.length();
            case BsonString text -> text.getValue().length();
            case BsonBinary binary -> binary.getData().length;
            case RawBsonDocument document -> document.getByteLength();
            case BsonDocument document -> {
                long bytes = ELEMENT;
                for (var member : document.entrySet()) {
                    bytes += 2L * ELEMENT + member.getKey().length() + of(member.getValue());
                }
                yield bytes;
            }
            case List<?> list -> {
                long bytes = (long) ELEMENT * list.size();
                for (var element : list) {
                    bytes += of(element);
                }
                yield bytes;
            }
            case null, default -> 0;
        };
    }
}
