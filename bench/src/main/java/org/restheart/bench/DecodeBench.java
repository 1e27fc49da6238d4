package org.restheart.bench;

import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import tools.jackson.databind.JsonNode;

/// JSON bytes, as a client sends them, to BSON bytes, as MongoDB gets them.
@State(Scope.Benchmark)
public class DecodeBench {
    @Param
    public Samples sample = Samples.SMALL;

    private byte[] json = new byte[0];

    @Setup
    public void prepare() {
        json = JsonEncoder.of(JsonMode.RELAXED).encodeToString(sample.bson()).getBytes(StandardCharsets.UTF_8);
        if (!gateway().equals(driverJsonReader())) {
            throw new IllegalStateException("the gateway reads something else than the driver");
        }
    }

    @Benchmark
    public RawBsonDocument gateway() {
        return JsonParser.parseDocument(json);
    }

    /// The driver's reader, straight into bytes.
    @Benchmark
    public RawBsonDocument driverJsonReader() {
        return RawBsonDocument.parse(new String(json, StandardCharsets.UTF_8));
    }

    /// The driver's reader, into a tree that is still to be encoded.
    @Benchmark
    public BsonDocument driverTree() {
        return BsonDocument.parse(new String(json, StandardCharsets.UTF_8));
    }

    /// A tree without BSON types, which is still to be translated and encoded.
    @Benchmark
    public JsonNode jacksonTree() {
        return JacksonBson.read(json);
    }
}
