package org.restheart.bson;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/// Builds a copy of a document with some top-level fields set or removed; all other fields are copied as bytes. The
/// last change of a field counts. Confined to one thread.
public final class RawEdit {
    /// @param value null removes the field
    private record Change(String name, @Nullable BsonValue value, boolean first) {}

    private final RawBsonDocument document;
    private final List<Change> changes = new ArrayList<>(4);

    RawEdit(RawBsonDocument document) {
        this.document = document;
    }

    /// Replaces the field where it stands, or adds it at the end.
    public RawEdit put(String name, BsonValue value) {
        return change(new Change(name, value, false));
    }

    /// Puts the field before all others, wherever it stood.
    public RawEdit putFirst(String name, BsonValue value) {
        return change(new Change(name, value, true));
    }

    public RawEdit remove(String name) {
        return change(new Change(name, null, false));
    }

    private RawEdit change(Change change) {
        changes.removeIf(earlier -> earlier.name.equals(change.name));
        changes.add(change);
        return this;
    }

    /// The changed copy.
    ///
    /// @throws org.bson.BsonSerializationException if the original's bytes are not BSON
    public RawBsonDocument toDocument() {
        byte[] in = document.getBackingArray();
        int start = document.getByteOffset();
        var out = new BsonBuffer(document.getByteLength() + 64 * changes.size());
        out.gap();
        var pending = new ArrayList<Change>(changes.size());
        for (var change : changes) {
            if (change.first) {
                write(change, out);
            } else {
                pending.add(change);
            }
        }
        var cursor = new RawCursor(in, start);
        int end = cursor.enter(start + document.getByteLength());
        int run = cursor.at;
        while (cursor.at < end) {
            int element = cursor.at;
            byte type = in[cursor.at++];
            int name = cursor.at;
            var change = changeOf(in, name, cursor.skipName(end));
            cursor.skip(type, end);
            if (change != null) {
                out.put(in, run, element);
                run = cursor.at;
                if (!change.first) {
                    write(change, out);
                    pending.remove(change);
                }
            }
        }
        out.put(in, run, end);
        pending.forEach(change -> write(change, out));
        out.put((byte) 0);
        out.fill(0, out.length);
        return new RawBsonDocument(out.bytes, 0, out.length);
    }

    private @Nullable Change changeOf(byte[] in, int from, int to) {
        for (var change : changes) {
            if (RawDocuments.isName(change.name, in, from, to)) {
                return change;
            }
        }
        return null;
    }

    /// @throws IllegalArgumentException if the name contains U+0000
    private static void write(Change change, BsonBuffer out) {
        if (change.value == null) {
            return;
        }
        if (change.name.indexOf(0) >= 0) {
            throw new IllegalArgumentException("a field name contains the character U+0000");
        }
        byte[] utf8 = change.name.getBytes(StandardCharsets.UTF_8);
        int typeAt = out.length;
        out.put((byte) 0);
        out.put(utf8, 0, utf8.length);
        out.put((byte) 0);
        byte type = value(change.value, out); // first, since the bytes may move as they grow
        out.bytes[typeAt] = type;
    }

    /// Writes the most frequent types directly and all others with the driver.
    ///
    /// @return the type
    private static byte value(BsonValue value, BsonBuffer out) {
        return switch (value.getBsonType()) {
            case OBJECT_ID -> {
                out.put(value.asObjectId().getValue().toByteArray(), 0, 12);
                yield BsonTypes.OBJECT_ID;
            }
            case STRING -> {
                byte[] utf8 = value.asString().getValue().getBytes(StandardCharsets.UTF_8);
                out.int32(utf8.length + 1);
                out.put(utf8, 0, utf8.length);
                out.put((byte) 0);
                yield BsonTypes.STRING;
            }
            case INT32 -> {
                out.int32(value.asInt32().getValue());
                yield BsonTypes.INT32;
            }
            case INT64 -> {
                out.int64(value.asInt64().getValue());
                yield BsonTypes.INT64;
            }
            case DATE_TIME -> {
                out.int64(value.asDateTime().getValue());
                yield BsonTypes.DATE;
            }
            default -> {
                var around = RawDocuments.encode(new BsonDocument("", value));
                byte[] bytes = around.getBackingArray();
                int start = around.getByteOffset();
                out.put(bytes, start + BsonSink.ROOT, start + around.getByteLength() - 1);
                yield bytes[start + 4];
            }
        };
    }
}
