package org.restheart.mongo.find;

import com.mongodb.MongoNamespace;
import java.util.Arrays;
import java.util.Optional;
import org.bson.BsonBinaryWriter;
import org.bson.BsonValue;
import org.bson.codecs.BsonValueCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;
import org.jspecify.annotations.Nullable;

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

    /// Without the values, which are client data.
    @Override
    public String toString() {
        return "QueryKey[" + bytes.length + " bytes]";
    }

    /// The parts of a key. All code that creates keys for one purpose must add the same number of parts in the same
    /// order. Confined to one thread.
    public static final class Parts {
        private final BasicOutputBuffer out = new BasicOutputBuffer(USUAL_BYTES);
        private final BsonBinaryWriter writer = new BsonBinaryWriter(out);

        private Parts() {
            writer.writeStartDocument();
        }

        /// @throws org.bson.BsonSerializationException for a name with a zero byte
        public Parts add(BsonValue value) {
            writer.writeName("");
            CODEC.encode(writer, value, CONTEXT);
            return this;
        }

        public Parts add(String text) {
            writer.writeString("", text);
            return this;
        }

        public Parts add(long number) {
            writer.writeInt64("", number);
            return this;
        }

        /// Absence is a part, too.
        public Parts add(Optional<? extends BsonValue> value) {
            value.ifPresentOrElse(this::add, () -> writer.writeUndefined(""));
            return this;
        }

        public Parts add(StagedFilter filter) {
            return add(filter.first()).add(filter.rest());
        }

        public Parts add(Projection projection) {
            return add(projection.permitted()).add(projection.wanted());
        }

        public Parts add(ReadSettings settings) {
            settings.readConcern()
                    .ifPresentOrElse(concern -> add(concern.asDocument()), () -> writer.writeUndefined(""));
            settings.readPreference()
                    .ifPresentOrElse(preference -> add(preference.toDocument()), () -> writer.writeUndefined(""));
            return add(settings.timeLimit().toNanos());
        }

        public Parts add(Shortcuts shortcuts) {
            return add(shortcuts.positioning().name())
                    .add(shortcuts.ahead().name())
                    .add(shortcuts.cached() ? 1 : 0);
        }

        /// Called once, last.
        public QueryKey key() {
            writer.writeEndDocument();
            return new QueryKey(out.toByteArray());
        }
    }
}
