package org.restheart.bench;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.json.JsonWriterSettings;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;

/// BSON bytes, as MongoDB sends them, to JSON bytes, as a client gets them.
@State(Scope.Benchmark)
public class EncodeBench {
    private static final JsonWriterSettings RELAXED = JsonWriterSettings.builder()
            .outputMode(org.bson.json.JsonMode.RELAXED)
            .build();

    @Param
    public Samples sample = Samples.SMALL;

    private RawBsonDocument bson = Samples.SMALL.bson();
    private final Utf8Buffer out = new Utf8Buffer();

    @Setup
    public void prepare() {
        bson = sample.bson();
        if (!BsonDocument.parse(new String(gateway(), StandardCharsets.UTF_8))
                .equals(BsonDocument.parse(new String(driverJsonWriter(), StandardCharsets.UTF_8)))) {
            throw new IllegalStateException("the gateway writes something else than the driver");
        }
    }

    @Benchmark
    public byte[] gateway() {
        out.clear();
        JsonEncoder.of(JsonMode.RELAXED).encode(bson, out);
        return out.toByteArray();
    }

    /// The driver's writer, fed from the bytes.
    @Benchmark
    public byte[] driverJsonWriter() {
        return Objects.requireNonNull(bson.toJson(RELAXED)).getBytes(StandardCharsets.UTF_8);
    }

    /// The driver's writer, fed from a tree that is decoded first, as most applications do.
    @Benchmark
    public byte[] driverTree() {
        return bson.decode(new BsonDocumentCodec()).toJson(RELAXED).getBytes(StandardCharsets.UTF_8);
    }

    @Benchmark
    public byte[] jacksonTree() {
        return JacksonBson.write(bson.decode(new BsonDocumentCodec()));
    }
}
