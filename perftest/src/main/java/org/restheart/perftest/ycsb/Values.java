package org.restheart.perftest.ycsb;

import com.mongodb.MongoClientSettings;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.function.Consumer;
import org.bson.BsonBinaryReader;
import org.bson.BsonReader;
import org.bson.BsonType;
import org.bson.BsonWriter;
import org.bson.codecs.Codec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.EncoderContext;
import org.bson.codecs.configuration.CodecRegistries;
import org.bson.codecs.configuration.CodecRegistry;
import site.ycsb.ByteIterator;
import site.ycsb.StringByteIterator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/// The texts of a document as YCSB wants them, read without a tree in between, whichever way the document came: what
/// reading costs a client then differs by the format alone.
@SuppressWarnings("NonApiType") // as YCSB declares it
record Values(HashMap<String, ByteIterator> byName) {
    private static final JsonMapper JSON = new JsonMapper();

    static final CodecRegistry WITH_VALUES = CodecRegistries.fromRegistries(
            CodecRegistries.fromCodecs(new Reader()), MongoClientSettings.getDefaultCodecRegistry());

    private Values() {
        this(new HashMap<>());
    }

    /// Of a JSON document, or of each in an array.
    static void ofJson(byte[] body, Consumer<Values> each) {
        try (var json = JSON.createParser(body)) {
            for (var token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.START_OBJECT) {
                    each.accept(of(json));
                }
            }
        }
    }

    private static Values of(JsonParser json) {
        var values = new Values();
        for (var name = json.nextName(); name != null; name = json.nextName()) {
            if (json.nextToken() == JsonToken.VALUE_STRING) {
                values.byName.put(name, new StringByteIterator(json.getString()));
            } else {
                json.skipChildren();
            }
        }
        return values;
    }

    /// Of BSON documents, one after the other.
    static void ofBson(byte[] body, Consumer<Values> each) {
        var bytes = ByteBuffer.wrap(body);
        while (bytes.hasRemaining()) {
            int length = Integer.reverseBytes(bytes.getInt(bytes.position()));
            try (var reader = new BsonBinaryReader(bytes.slice(bytes.position(), length))) {
                each.accept(of(reader));
            }
            bytes.position(bytes.position() + length);
        }
    }

    private static Values of(BsonReader bson) {
        var values = new Values();
        bson.readStartDocument();
        for (var type = bson.readBsonType(); type != BsonType.END_OF_DOCUMENT; type = bson.readBsonType()) {
            var name = bson.readName();
            if (type == BsonType.STRING) {
                values.byName.put(name, new StringByteIterator(bson.readString()));
            } else {
                bson.skipValue();
            }
        }
        bson.readEndDocument();
        return values;
    }

    /// For drivers.
    private static final class Reader implements Codec<Values> {
        @Override
        public Values decode(BsonReader reader, DecoderContext context) {
            return of(reader);
        }

        @Override
        public void encode(BsonWriter writer, Values values, EncoderContext context) {
            throw new UnsupportedOperationException("values are only read");
        }

        @Override
        public Class<Values> getEncoderClass() {
            return Values.class;
        }
    }
}
