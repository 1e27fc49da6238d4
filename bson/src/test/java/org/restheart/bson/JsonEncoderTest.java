package org.restheart.bson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGeneratorFactory;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBinarySubType;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDbPointer;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonSerializationException;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonTimestamp;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

class JsonEncoderTest {
    private static final int DOCUMENTS = 2000;
    private static final JsonEncoder DEFAULT = JsonEncoder.of(JsonMode.DEFAULT);

    @ParameterizedTest
    @EnumSource(
            value = JsonMode.class,
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"PLAIN", "ATLAS", ".*_UNTAGGED"})
    void writes_every_type_as_the_driver_does(JsonMode mode) {
        var encoder = JsonEncoder.of(mode);
        for (var document : RandomBson.documents(DOCUMENTS)) {
            var expected = Driver.json(document, mode);
            assertThat(encoder.encodeToString(Driver.raw(document)))
                    .as("from bytes")
                    .isEqualTo(expected);
            assertThat(encoder.encodeToString(document)).as("from a tree").isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = JsonMode.class,
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"PLAIN", "ATLAS", ".*_UNTAGGED"})
    void escapes_the_characters_that_the_driver_escapes(JsonMode mode) {
        for (int c = 0; c <= 0xffff; c += 64) {
            var text = new StringBuilder();
            for (int i = c; i < c + 64; i++) {
                if (!Character.isSurrogate((char) i)) {
                    text.append((char) i).append('.');
                }
            }
            var document = new BsonDocument(text.toString().replace("\0", ""), new BsonString(text.toString()));
            assertThat(JsonEncoder.of(mode).encodeToString(Driver.raw(document)))
                    .isEqualTo(Driver.json(document, mode));
        }
    }

    /// Bytes are tested and copied several at a time.
    @Test
    void escapes_characters_wherever_they_stand() {
        for (var special : List.of("\"", "\\", "\n", "\u007f", "\u0001", "é", "北", "\u200e", "😀")) {
            for (int before = 0; before < 60; before++) {
                for (int after : new int[] {0, 1, 7, 8, 39, 47, 48, 49}) {
                    var text = "x".repeat(before) + special + "y".repeat(after) + special;
                    var document = new BsonDocument("n", new BsonString(text));
                    assertThat(DEFAULT.encodeToString(Driver.raw(document)))
                            .isEqualTo(Driver.json(document, JsonMode.DEFAULT));
                }
            }
        }
    }

    private record Row(
            BsonValue value, String byDefault, String relaxed, String strict, String extended, String shell) {
        static Row same(BsonValue value, String text, String shell) {
            return new Row(value, text, text, text, text, shell);
        }

        String text(JsonMode mode) {
            return switch (mode) {
                case DEFAULT -> byDefault;
                case RELAXED -> relaxed;
                case STRICT -> strict;
                case EXTENDED -> extended;
                case SHELL -> shell;
                case PLAIN, ATLAS, ATLAS_UNTAGGED, EXTENDED_UNTAGGED -> throw new IllegalArgumentException(mode.name());
            };
        }
    }

    private static final ObjectId ID = new ObjectId("5d7a4b3c8f1e2d0001020304");

    static final List<Row> TABLE = List.of(
            new Row(new BsonInt32(1), "1", "1", "1", "{\"$numberInt\": \"1\"}", "1"),
            new Row(
                    new BsonInt64(7),
                    "7",
                    "7",
                    "{\"$numberLong\": \"7\"}",
                    "{\"$numberLong\": \"7\"}",
                    "NumberLong(7)"),
            new Row(
                    new BsonInt64(5_000_000_000L),
                    "5000000000",
                    "5000000000",
                    "{\"$numberLong\": \"5000000000\"}",
                    "{\"$numberLong\": \"5000000000\"}",
                    "NumberLong(\"5000000000\")"),
            new Row(new BsonDouble(1.0), "1.0", "1.0", "1.0", "{\"$numberDouble\": \"1.0\"}", "1.0"),
            new Row(
                    new BsonDouble(1e30),
                    "1.0E+30",
                    "1.0E+30",
                    "1.0E+30",
                    "{\"$numberDouble\": \"1.0E+30\"}",
                    "1.0E+30"),
            new Row(
                    new BsonDouble(Double.NaN),
                    "{\"$numberDouble\": \"NaN\"}",
                    "{\"$numberDouble\": \"NaN\"}",
                    "NaN",
                    "{\"$numberDouble\": \"NaN\"}",
                    "NaN"),
            Row.same(
                    new BsonDecimal128(Decimal128.parse("1.10")),
                    "{\"$numberDecimal\": \"1.10\"}",
                    "NumberDecimal(\"1.10\")"),
            new Row(
                    new BsonDateTime(1_568_295_769_260L),
                    "{\"$date\": 1568295769260 }",
                    "{\"$date\": \"2019-09-12T13:42:49.26Z\"}",
                    "{\"$date\": 1568295769260}",
                    "{\"$date\": {\"$numberLong\": \"1568295769260\"}}",
                    "ISODate(\"2019-09-12T13:42:49.260Z\")"),
            new Row(
                    new BsonDateTime(-1),
                    "{\"$date\": -1 }",
                    "{\"$date\": {\"$numberLong\": \"-1\"}}",
                    "{\"$date\": -1}",
                    "{\"$date\": {\"$numberLong\": \"-1\"}}",
                    "ISODate(\"1969-12-31T23:59:59.999Z\")"),
            new Row(
                    new BsonDateTime(253_402_300_800_000L),
                    "{\"$date\": 253402300800000 }",
                    "{\"$date\": {\"$numberLong\": \"253402300800000\"}}",
                    "{\"$date\": 253402300800000}",
                    "{\"$date\": {\"$numberLong\": \"253402300800000\"}}",
                    "new Date(253402300800000)"),
            Row.same(
                    new BsonObjectId(ID),
                    "{\"$oid\": \"5d7a4b3c8f1e2d0001020304\"}",
                    "ObjectId(\"5d7a4b3c8f1e2d0001020304\")"),
            new Row(
                    new BsonBinary(new byte[] {1, 2, 3}),
                    "{\"$binary\": {\"base64\": \"AQID\", \"subType\": \"00\"}}",
                    "{\"$binary\": {\"base64\": \"AQID\", \"subType\": \"00\"}}",
                    "{\"$binary\": \"AQID\", \"$type\": \"00\"}",
                    "{\"$binary\": {\"base64\": \"AQID\", \"subType\": \"00\"}}",
                    "new BinData(0, \"AQID\")"),
            new Row(
                    new BsonBinary(BsonBinarySubType.UUID_STANDARD, new byte[16]),
                    "{\"$binary\": {\"base64\": \"AAAAAAAAAAAAAAAAAAAAAA==\", \"subType\": \"04\"}}",
                    "{\"$binary\": {\"base64\": \"AAAAAAAAAAAAAAAAAAAAAA==\", \"subType\": \"04\"}}",
                    "{\"$binary\": \"AAAAAAAAAAAAAAAAAAAAAA==\", \"$type\": \"04\"}",
                    "{\"$binary\": {\"base64\": \"AAAAAAAAAAAAAAAAAAAAAA==\", \"subType\": \"04\"}}",
                    "new BinData(4, \"AAAAAAAAAAAAAAAAAAAAAA==\")"),
            new Row(
                    new BsonRegularExpression("^a", "i"),
                    "{\"$regularExpression\": {\"pattern\": \"^a\", \"options\": \"i\"}}",
                    "{\"$regularExpression\": {\"pattern\": \"^a\", \"options\": \"i\"}}",
                    "{\"$regex\": \"^a\", \"$options\": \"i\"}",
                    "{\"$regularExpression\": {\"pattern\": \"^a\", \"options\": \"i\"}}",
                    "/^a/i"),
            Row.same(new BsonTimestamp(5, 1), "{\"$timestamp\": {\"t\": 5, \"i\": 1}}", "Timestamp(5, 1)"),
            Row.same(new BsonJavaScript("f()"), "{\"$code\": \"f()\"}", "{\"$code\": \"f()\"}"),
            Row.same(
                    new BsonJavaScriptWithScope("f()", new BsonDocument()),
                    "{\"$code\": \"f()\", \"$scope\": {}}",
                    "{\"$code\": \"f()\", \"$scope\": {}}"),
            Row.same(new BsonSymbol("s"), "{\"$symbol\": \"s\"}", "{\"$symbol\": \"s\"}"),
            Row.same(new BsonUndefined(), "{\"$undefined\": true}", "undefined"),
            Row.same(new BsonMinKey(), "{\"$minKey\": 1}", "MinKey"),
            Row.same(new BsonMaxKey(), "{\"$maxKey\": 1}", "MaxKey"),
            new Row(
                    new BsonDbPointer("d.c", ID),
                    "{\"$ref\": \"d.c\", \"$id\": {\"$oid\": \"5d7a4b3c8f1e2d0001020304\"}}",
                    "{\"$ref\": \"d.c\", \"$id\": {\"$oid\": \"5d7a4b3c8f1e2d0001020304\"}}",
                    "{\"$ref\": \"d.c\", \"$id\": {\"$oid\": \"5d7a4b3c8f1e2d0001020304\"}}",
                    "{\"$dbPointer\": {\"$ref\": \"d.c\", \"$id\": {\"$oid\": \"5d7a4b3c8f1e2d0001020304\"}}}",
                    "{\"$ref\": \"d.c\", \"$id\": ObjectId(\"5d7a4b3c8f1e2d0001020304\")}"),
            Row.same(
                    new BsonString("é/<\"\\\n\u0001😀"),
                    "\"é/<\\\"\\\\\\n\\u0001\\ud83d\\ude00\"",
                    "\"é/<\\\"\\\\\\n\\u0001\\ud83d\\ude00\""),
            Row.same(BsonNull.VALUE, "null", "null"),
            Row.same(BsonBoolean.TRUE, "true", "true"),
            Row.same(
                    BsonDocument.parse("{_id: 'x', l: [true, 'y', {z: [], d: {}}]}"),
                    "{\"_id\": \"x\", \"l\": [true, \"y\", {\"z\": [], \"d\": {}}]}",
                    "{\"_id\": \"x\", \"l\": [true, \"y\", {\"z\": [], \"d\": {}}]}"));

    @ParameterizedTest
    @FieldSource("TABLE")
    void each_type_is_written_as_each_mode_requires(Row row) {
        for (var mode : Driver.MODES) {
            var encoder = JsonEncoder.of(mode);
            var document = new BsonDocument("v", row.value);
            assertThat(encoder.encodeToString(row.value)).as("%s, alone", mode).isEqualTo(row.text(mode));
            assertThat(encoder.encodeToString(Driver.raw(document)))
                    .as("%s, in bytes", mode)
                    .isEqualTo("{\"v\": " + row.text(mode) + "}");
        }
    }

    @Test
    void documents_that_are_bytes_can_stand_in_a_tree() {
        var raw = Driver.raw(BsonDocument.parse("{a: [1, {b: 'é'}]}"));
        var slice = new RawBsonDocument(
                ByteBuffer.allocate(raw.getByteLength() + 7)
                        .put(new byte[] {1, 2, 3})
                        .put(raw.getByteBuffer().asNIO())
                        .array(),
                3,
                raw.getByteLength());
        var page = new BsonDocument("docs", new BsonArray(List.of(raw, slice, raw.get("a"))));
        assertThat(DEFAULT.encodeToString(page))
                .isEqualTo("{\"docs\": [{\"a\": [1, {\"b\": \"é\"}]}, {\"a\": [1, {\"b\": \"é\"}]}, [1, {\"b\":"
                        + " \"é\"}]]}");
    }

    @Test
    void stored_text_that_is_not_utf8_is_shown_as_the_driver_shows_it() {
        byte[][] texts = {
            {(byte) 0xc0, (byte) 0x80},
            {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
            {'a', (byte) 0xe2, (byte) 0x82},
            {(byte) 0xf4, (byte) 0x90, (byte) 0x80, (byte) 0x80, 'b'},
            {(byte) 0xff}
        };
        for (var text : texts) {
            var bytes = raw(new BsonString("?".repeat(text.length)));
            System.arraycopy(text, 0, bytes, 11, text.length);
            var document = new RawBsonDocument(bytes);
            assertThat(DEFAULT.encodeToString(document)).isEqualTo(Driver.json(document, JsonMode.DEFAULT));
        }
    }

    @Test
    void a_tree_may_hold_half_a_surrogate_pair() {
        assertThat(DEFAULT.encodeToString(new BsonString("a\"\ud800é\ude00"))).isEqualTo("\"a\\\"\\ud800é\\ude00\"");
    }

    @Test
    void bytes_cut_off_are_refused_and_nothing_beyond_them_is_read() {
        for (var document : RandomBson.documents(40)) {
            var whole = Driver.raw(document);
            for (int length = 0; length < whole.getByteLength(); length++) {
                var cut = Arrays.copyOf(whole.getBackingArray(), length);
                assertThatThrownBy(() -> encode(cut)).isInstanceOf(BsonSerializationException.class);
            }
        }
    }

    @Test
    void damaged_bytes_are_refused_or_written_but_never_read_past_their_end() {
        var random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
        int refused = 0;
        for (var document : RandomBson.documents(300)) {
            for (int i = 0; i < 100; i++) {
                var bytes = Arrays.copyOf(
                        Driver.raw(document).getBackingArray(),
                        Driver.raw(document).getByteLength());
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                try {
                    encode(bytes);
                } catch (BsonSerializationException _) {
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(1000);
    }

    @Test
    void lengths_that_lie_are_refused() {
        for (int length : new int[] {Integer.MIN_VALUE, -1, 0, 1, 4, 5, 1000, Integer.MAX_VALUE}) {
            for (var value : List.of(
                    new BsonString("abc"),
                    new BsonBinary(new byte[3]),
                    new BsonBinary((byte) 2, new byte[3]),
                    new BsonDocument("a", BsonNull.VALUE),
                    new BsonArray(List.of(BsonNull.VALUE)),
                    new BsonJavaScriptWithScope("f", new BsonDocument()),
                    new BsonDbPointer("a.b", ID))) {
                var bytes = raw(value);
                int right = (int) RawCursor.INT.get(bytes, 7);
                if (right != length) {
                    RawCursor.INT.set(bytes, 7, length);
                    assertThatThrownBy(() -> encode(bytes))
                            .as("%s with length %s", value, length)
                            .isInstanceOf(BsonSerializationException.class);
                }
            }
        }
    }

    @Test
    void nesting_is_bounded() {
        BsonValue value = new BsonDocument();
        for (int depth = 1; depth < 256; depth++) {
            value = depth % 2 == 0 ? new BsonDocument("a", value) : new BsonArray(List.of(value));
        }
        var deepest = new BsonDocument("a", value.asArray().get(0));
        assertThat(DEFAULT.encodeToString(Driver.raw(deepest))).isEqualTo(DEFAULT.encodeToString(deepest));
        var tooDeep = new BsonDocument("a", value);
        assertThatThrownBy(() -> DEFAULT.encodeToString(tooDeep)).isInstanceOf(BsonSerializationException.class);
        assertThatThrownBy(() -> DEFAULT.encodeToString(Driver.raw(tooDeep)))
                .isInstanceOf(BsonSerializationException.class);
    }

    @Test
    void several_values_follow_each_other_in_one_buffer() {
        var out = new Utf8Buffer(1);
        out.put('[');
        DEFAULT.encode(Driver.raw(new BsonDocument()), out);
        out.ascii(", ");
        DEFAULT.encode(new BsonInt32(-5), out);
        out.text("é");
        out.put((byte) ']');
        assertThat(out.toByteArray()).isEqualTo("[{}, -5é]".getBytes(UTF_8));
        assertThat(out.toByteBuffer()).isEqualTo(ByteBuffer.wrap("[{}, -5é]".getBytes(UTF_8)));
        assertThat(out.length()).isEqualTo(10);
        out.clear();
        assertThat(out.length()).isZero();
    }

    /// A document with one field, whose name is `v` and whose value begins at index 7.
    private static byte[] raw(BsonValue value) {
        var raw = Driver.raw(new BsonDocument("v", value));
        return Arrays.copyOf(raw.getBackingArray(), raw.getByteLength());
    }

    private static void encode(byte[] bson) {
        new JsonEncoder.RawJson(bson, 0, JsonFormat.of(JsonMode.DEFAULT), new Utf8Buffer()).document(bson.length, 0);
    }
}
