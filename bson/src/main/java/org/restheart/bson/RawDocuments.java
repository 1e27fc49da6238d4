package org.restheart.bson;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonArray;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.jspecify.annotations.Nullable;

/// Operations on documents that are still encoded.
public final class RawDocuments {
    private static final BsonDocumentCodec TREES = new BsonDocumentCodec();

    private RawDocuments() {}

    /// The value of a field of a document, whether it is bytes or a tree.
    public static Optional<BsonValue> get(BsonDocument document, String name) {
        return document instanceof RawBsonDocument raw ? get(raw, name) : Optional.ofNullable(document.get(name));
    }

    /// The value of a top-level field; only this one is decoded, and documents and arrays stay bytes. Empty
    /// if there is no such field.
    ///
    /// @throws org.bson.BsonSerializationException if the bytes before are not BSON
    public static Optional<BsonValue> get(RawBsonDocument document, String name) {
        byte[] bytes = document.getBackingArray();
        int start = document.getByteOffset();
        var cursor = new RawCursor(bytes, start);
        int end = cursor.enter(start + document.getByteLength());
        while (cursor.at < end) {
            byte type = bytes[cursor.at++];
            int from = cursor.at;
            if (isName(name, bytes, from, cursor.skipName(end))) {
                return Optional.of(cursor.value(type, end));
            }
            cursor.skip(type, end);
        }
        return Optional.empty();
    }

    /// The names of the top-level fields, in order, repeated ones too.
    ///
    /// @throws org.bson.BsonSerializationException if the bytes are not BSON
    public static List<String> names(RawBsonDocument document) {
        int start = document.getByteOffset();
        var cursor = new RawCursor(document.getBackingArray(), start);
        int end = cursor.enter(start + document.getByteLength());
        var names = new ArrayList<String>();
        while (cursor.at < end) {
            byte type = cursor.in[cursor.at++];
            names.add(cursor.cstring(end));
            cursor.skip(type, end);
        }
        return names;
    }

    /// Begins a copy of a document with some fields put or removed.
    public static RawEdit edit(RawBsonDocument document) {
        return new RawEdit(document);
    }

    static boolean isName(String name, byte[] bytes, int from, int to) {
        int length = name.length();
        if (length > to - from) {
            return false; // a character has at least one byte
        }
        for (int i = 0; i < length; i++) {
            char c = name.charAt(i);
            if (c >= 0x80) {
                byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
                return Arrays.equals(utf8, 0, utf8.length, bytes, from, to);
            }
            if (c != bytes[from + i]) {
                return false;
            }
        }
        return length == to - from;
    }

    /// The document in BSON; the same if it is already.
    ///
    /// @throws org.bson.BSONException if it has no form in BSON
    public static RawBsonDocument encode(BsonDocument document) {
        return document instanceof RawBsonDocument raw ? raw : new RawBsonDocument(document, TREES);
    }

    /// The document in an array of exactly its size: what the driver returns, or encodes, refers to a larger
    /// one.
    public static RawBsonDocument compact(RawBsonDocument document) {
        int start = document.getByteOffset();
        return new RawBsonDocument(
                Arrays.copyOfRange(document.getBackingArray(), start, start + document.getByteLength()));
    }

    /// The document that bytes from outside are, once all of it is found to be BSON. As of JSON, the last value of a
    /// name that is there twice counts, and the bounds are those of [JsonParser]. No tree is made.
    ///
    /// @throws org.bson.BSONException if they are none
    /// @throws IllegalArgumentException likewise
    /// @throws MalformedJsonException beyond a bound
    public static RawBsonDocument checked(byte[] bytes) {
        var sink = new BsonSink(bytes.length, BsonSink.MAX_DOCUMENT);
        DriverJson.copy(bytes, sink);
        sink.finish();
        return new RawBsonDocument(sink.out.bytes, BsonSink.ROOT, sink.out.length - BsonSink.ROOT - 1);
    }

    /// The document as a tree that can be changed.
    public static BsonDocument toTree(RawBsonDocument document) {
        return document.decode(TREES);
    }

    /// How many values at every depth a tree of the value has. Those that are trees already are not counted,
    /// but what is still encoded in them.
    ///
    /// @throws org.bson.BsonSerializationException if the bytes are not BSON
    public static long values(BsonValue value) {
        return switch (value) {
            case RawBsonDocument document ->
                values(document.getBackingArray(), document.getByteOffset(), document.getByteLength());
            case RawBsonArray array ->
                array.stream().mapToLong(element -> 1 + values(element)).sum();
            case BsonDocument document ->
                document.values().stream().mapToLong(RawDocuments::values).sum();
            case BsonArray array ->
                array.stream().mapToLong(RawDocuments::values).sum();
            default -> 0;
        };
    }

    private static long values(byte[] bytes, int start, int length) {
        var cursor = new RawCursor(bytes, start);
        int end = cursor.enter(start + length);
        long values = 0;
        while (cursor.at < end) {
            byte type = bytes[cursor.at++];
            cursor.skipName(end);
            int from = cursor.at;
            cursor.skip(type, end);
            values += type == BsonTypes.DOCUMENT || type == BsonTypes.ARRAY
                    ? 1 + values(bytes, from, cursor.at - from)
                    : 1;
        }
        return values;
    }

    /// Limits of what is in a document.
    ///
    /// @param text the longest text, in bytes
    /// @param elements of an array
    /// @param binary the longest binary value, in bytes
    /// @param depth of documents and arrays, the document itself being the first
    public record Limits(int text, int elements, int binary, int depth) {}

    /// Whether nothing in a document is beyond limits. Decodes nothing.
    ///
    /// @throws org.bson.BsonSerializationException if the bytes are not BSON
    public static boolean isWithin(RawBsonDocument document, Limits limits) {
        var cursor = new RawCursor(document.getBackingArray(), document.getByteOffset());
        return isWithin(cursor, document.getByteOffset() + document.getByteLength(), limits, Integer.MAX_VALUE, 1);
    }

    private static boolean isWithin(RawCursor cursor, int limit, Limits limits, int most, int depth) {
        int end = cursor.enter(limit);
        for (int count = 0; cursor.at < end; count++) {
            byte type = cursor.in[cursor.at++];
            cursor.skipName(end);
            int from = cursor.at;
            boolean fits = switch (type) {
                case BsonTypes.DOCUMENT, BsonTypes.ARRAY ->
                    depth < limits.depth()
                            && isWithin(
                                    cursor,
                                    end,
                                    limits,
                                    type == BsonTypes.ARRAY ? limits.elements() : Integer.MAX_VALUE,
                                    depth + 1);
                case BsonTypes.STRING -> {
                    cursor.skip(type, end);
                    yield cursor.at - from - 5 <= limits.text();
                }
                case BsonTypes.BINARY -> {
                    cursor.skip(type, end);
                    yield cursor.at - from - 5 <= limits.binary();
                }
                default -> {
                    cursor.skip(type, end);
                    yield true;
                }
            };
            if (!fits || count >= most) {
                return false;
            }
        }
        cursor.at = end + 1;
        return true;
    }

    /// Any value, with documents and arrays at every depth as trees that can be changed.
    public static BsonValue toTree(BsonValue value) {
        return switch (value) {
            case RawBsonDocument document -> toTree(document);
            case BsonArray array -> {
                var tree = new BsonArray();
                array.forEach(element -> tree.add(toTree(element)));
                yield tree;
            }
            default -> value;
        };
    }

    /// Builds a copy of a document with some top-level fields set or removed; all other fields are copied as
    /// bytes. The last change of a field counts. Confined to one thread.
    public static final class RawEdit {
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

        private static void write(Change change, BsonBuffer out) {
            if (change.value == null) {
                return;
            }
            element(change.name, change.value, out);
        }

        /// @throws IllegalArgumentException if the name contains U+0000
        private static void element(String name, BsonValue value, BsonBuffer out) {
            if (name.indexOf(0) >= 0) {
                throw new IllegalArgumentException("a field name contains the character U+0000");
            }
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            int typeAt = out.length;
            out.put((byte) 0);
            out.put(utf8, 0, utf8.length);
            out.put((byte) 0);
            byte type = value(value, out); // first, since the bytes may move as they grow
            out.bytes[typeAt] = type;
        }

        /// Writes ids and tags, documents and arrays directly, and all others with the driver.
        ///
        /// @return the type
        private static byte value(BsonValue value, BsonBuffer out) {
            return switch (value) {
                case BsonObjectId id -> {
                    out.put(id.getValue().toByteArray(), 0, 12);
                    yield BsonTypes.OBJECT_ID;
                }
                case RawBsonDocument document -> {
                    int start = document.getByteOffset();
                    out.put(document.getBackingArray(), start, start + document.getByteLength());
                    yield BsonTypes.DOCUMENT;
                }
                case BsonDocument tree
                when tree.getClass() == BsonDocument.class -> {
                    int begin = out.gap();
                    tree.forEach((name, member) -> element(name, member, out));
                    end(begin, out);
                    yield BsonTypes.DOCUMENT;
                }
                case BsonArray array
                when !(array instanceof RawBsonArray) -> {
                    int begin = out.gap();
                    for (int i = 0; i < array.size(); i++) {
                        element(Integer.toString(i), array.get(i), out);
                    }
                    end(begin, out);
                    yield BsonTypes.ARRAY;
                }
                case BsonNull _ -> BsonTypes.NULL;
                default -> {
                    var around = RawDocuments.encode(new BsonDocument("", value));
                    byte[] bytes = around.getBackingArray();
                    int start = around.getByteOffset();
                    out.put(bytes, start + BsonSink.ROOT, start + around.getByteLength() - 1);
                    yield bytes[start + 4];
                }
            };
        }

        private static void end(int begin, BsonBuffer out) {
            out.put((byte) 0);
            out.fill(begin, out.length - begin);
        }
    }
}
