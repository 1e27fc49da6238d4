package org.restheart.mongo.find;

import com.mongodb.MongoNamespace;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.model.Collation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.codecs.BsonValueCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;
import org.jspecify.annotations.Nullable;
import org.restheart.data.Access;

/// The parts of a query that determine its result, as bytes: queries with equal keys may share a command, a result,
/// a bookmark or a cursor. `BsonDocument.equals` is not usable, since it ignores the order of keys. Here two values
/// are equal only if they have the same encoding: the same keys in the same order, the same types of numbers, the
/// same zero. Immutable.
public final class QueryKey {
    private static final BsonValueCodec CODEC = new BsonValueCodec();
    private static final EncoderContext CONTEXT = EncoderContext.builder().build();
    private static final int USUAL_BYTES = 256;

    private final byte[] bytes;
    private final int hash;

    private QueryKey(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    /// A key that begins with a namespace.
    public static Parts of(MongoNamespace namespace) {
        return new Parts().add(namespace.getFullName());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof QueryKey key && hash == key.hash && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /// The key as a text, a character for each byte.
    public String text() {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /// About as many bytes as the query has in BSON.
    public int length() {
        return bytes.length;
    }

    /// The weight in a cache, so that the bytes of its keys are bounded and not only their number.
    ///
    /// @param average at least; the cache has so many times more as its maximum weight as entries
    public int weight(int average) {
        return Math.max(average, bytes.length);
    }

    /// Without the values, which are client data.
    @Override
    public String toString() {
        return "QueryKey[" + bytes.length + " bytes]";
    }

    /// The parts of a key. All code that creates keys for one purpose must add the same number of parts in the same
    /// order. Confined to one thread.
    public static final class Parts {
        private static final int TEXT = 1;
        private static final int NUMBER = 2;
        private static final int VALUE = 3;
        private static final int EMPTY = 4;
        private static final int ABSENT = 5;

        /// Each part begins with its kind and contains its length.
        private final BasicOutputBuffer out = new BasicOutputBuffer(USUAL_BYTES);

        private Parts() {}

        /// @throws org.bson.BsonSerializationException for a name with a zero byte
        public Parts add(BsonValue value) {
            if (value instanceof BsonDocument document && document.isEmpty()) { // most are
                out.writeByte(EMPTY);
                return this;
            }
            out.writeByte(VALUE);
            var writer = new BsonBinaryWriter(out);
            writer.writeStartDocument();
            writer.writeName("");
            CODEC.encode(writer, value, CONTEXT);
            writer.writeEndDocument();
            return this;
        }

        public Parts add(String text) {
            out.writeByte(TEXT);
            out.writeString(text);
            return this;
        }

        public Parts add(long number) {
            out.writeByte(NUMBER);
            out.writeInt64(number);
            return this;
        }

        /// Absence is a part, too.
        public Parts add(Optional<? extends BsonValue> value) {
            return value.isPresent() ? add(value.get()) : absent();
        }

        private Parts absent() {
            out.writeByte(ABSENT);
            return this;
        }

        public Parts add(StagedFilter filter) {
            return add(filter.first()).add(filter.rest());
        }

        public Parts add(Projection projection) {
            return add(projection.permitted()).add(projection.wanted());
        }

        /// The documents and fields that are visible.
        public Parts add(Access access) {
            return add(access.readFilter()).add(access.projectResponse());
        }

        public Parts add(ReadSettings settings) {
            return add(settings.readConcern().map(ReadConcern::asDocument))
                    .add(settings.readPreference().map(ReadPreference::toDocument))
                    .add(settings.timeLimit().toNanos())
                    .add(settings.collation().map(Collation::asDocument));
        }

        public Parts add(Shortcuts shortcuts) {
            return add(shortcuts.bookmarks() ? 1 : 0)
                    .add(shortcuts.cursorsAhead().name());
        }

        /// Called once, last.
        public QueryKey key() {
            return new QueryKey(out.toByteArray());
        }
    }
}
