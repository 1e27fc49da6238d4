package org.restheart.bson;

import java.util.ArrayList;
import java.util.List;
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
                out.add(in, run, element);
                run = cursor.at;
                if (!change.first) {
                    write(change, out);
                    pending.remove(change);
                }
            }
        }
        out.add(in, run, end);
        pending.forEach(change -> write(change, out));
        out.add((byte) 0);
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

    private static void write(Change change, BsonBuffer out) {
        if (change.value != null) {
            BsonElements.write(change.name, change.value, out);
        }
    }
}
