package org.restheart.bson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonArray;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonParserTest {
    private static final int DOCUMENTS = 2000;

    @ParameterizedTest
    @EnumSource(
            value = JsonMode.class,
            mode = EnumSource.Mode.MATCH_NONE,
            names = {"PLAIN", "ATLAS", ".*_UNTAGGED"})
    void reads_what_the_driver_writes_as_the_driver_does(JsonMode mode) {
        for (var document : RandomBson.documents(DOCUMENTS)) {
            assertReadsAsTheDriverDoes(Driver.json(document, mode));
        }
    }

    @Test
    void canonical_text_survives_a_round_trip() {
        for (var document : RandomBson.documents(DOCUMENTS)) {
            var json = JsonEncoder.of(JsonMode.EXTENDED).encodeToString(document);
            assertThat(Driver.bytes(JsonParser.parse(json.getBytes(UTF_8))))
                    .as(json)
                    .isEqualTo(Driver.bytes(document));
        }
    }

    @Test
    void reads_or_refuses_damaged_text_as_the_driver_does() {
        for (int seed = 0; seed < 10_000; seed++) {
            assertReadsAsTheDriverDoes(new DamagedJson(seed).text());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                " {\t\"a\" :\r\n[ ] } ",
                "{\"a\": 1, \"b\": -1, \"c\": 2147483647, \"d\": 2147483648, \"e\": -2147483648, \"f\": -2147483649}",
                "[9223372036854775807, -9223372036854775808, 0, -0, 1000000000000000000, 999999999999999999]",
                "[1.0, 1e3, -0.0, 0e0, 1E-7, 1e400, -1e400, 1e-400, 4.35, 0.1, 123456789012345678.9, 1e22, 1e23,"
                        + " 1.5e+3]",
                "[9007199254740993.0, 9007199254740992e22, 0.000000000000000000000001, 1e00000000000000000001]",
                "[true, false, null, [true], {\"\": null}]",
                "{\"a b\": {\"$gt\": 1}, \"\": {\"$\": 1}, \"c\": {\"$setOnInsert\": {\"$x\": 1, \"y\\u0041\": 2}}}",
                "{\"a\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\\ud83d\\ude00\\u0000\"}",
                "{\"é\": \"漢字😀\\u007f\"}",
                "{\"a\": {\"$oid\": \"64B5f0c2a1b2c3d4e5f60718\"}}",
                "{\"a\": {\"$date\": 123}, \"b\": {\"$date\": -123}, \"c\": {\"$date\": 253402300800000}}",
                "{\"a\": {\"$date\": \"2020-01-01T00:00:00Z\"}, \"b\": {\"$date\": \"1969-12-31T23:59:59.9Z\"}}",
                "{\"a\": {\"$date\": \"2000-02-29T12:34:56.78Z\"}, \"b\": {\"$date\":"
                        + " \"0001-01-01T00:00:00.123456789Z\"}}",
                "{\"a\": {\"$date\": {\"$numberLong\": \"1\"}}, \"b\": {\"$date\": {\"$numberLong\": \"-1\"}}}",
                "{\"a\": {\"$numberLong\": \"-9223372036854775808\"}, \"b\": {\"$numberInt\": \"-5\"}}",
                "{\"a\": {\"$numberDouble\": \"NaN\"}, \"b\": {\"$numberDouble\": \"-Infinity\"}, \"c\": "
                        + "{\"$numberDouble\": \"1E3\"}}",
                "{\"a\": {\"$numberDecimal\": \"1.50\"}, \"b\": {\"$numberDecimal\": \"-Infinity\"}}",
                "{\"a\": {\"$binary\": {\"base64\": \"AQID\", \"subType\": \"80\"}}}",
                "{\"a\": {\"$binary\": {\"base64\": \"\", \"subType\": \"02\"}}}",
            })
    void plain_json_takes_the_quick_way(String json) {
        assertThatCode(() -> StrictJson.read(json.getBytes(UTF_8), new BsonSink(json.length(), BsonSink.MAX_DOCUMENT)))
                .doesNotThrowAnyException();
        assertThat(Driver.parse(json)).as("the driver accepts it").isPresent();
        assertReadsAsTheDriverDoes(json);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{a: 1}",
                "{'a': 'b\"c'}",
                "{\"a\": 1,}",
                "[1, 2,]",
                "[1 2 3]",
                "{\"a\": 1} and what follows",
                "{\"a\": 1}}",
                "1",
                "\"x\"",
                "null",
                "-5 ",
                "{\"a\": 01, \"b\": 1.50e01}",
                "{\"a\": \"two\nlines\ttab\"}",
                "{\"a\": ObjectId(\"64b5f0c2a1b2c3d4e5f60718\"), \"b\": ISODate(\"2020-01-01T00:00:00Z\")}",
                "{\"a\": NumberLong(5), \"b\": NumberLong(\"5000000000\"), \"c\": NumberInt(\"3\")}",
                "{\"a\": NumberDecimal(\"1.5\"), \"b\": Timestamp(1, 2), \"c\": /ab/i, \"d\": /a\\/b/}",
                "{\"a\": MinKey, \"b\": MaxKey, \"c\": undefined, \"d\": Infinity, \"e\": -Infinity, \"f\": NaN}",
                "{\"a\": new Date(0), \"b\": new Date(2020, 1, 2, 3)}",
                "{\"a\": UUID(\"01234567-89ab-cdef-0123-456789abcdef\"), \"b\": BinData(0, \"AQID\"), "
                        + "\"c\": HexData(0, \"abcd\")}",
                "{\"a\": {\"$uuid\": \"01234567-89ab-cdef-0123-456789abcdef\"}}",
                "{\"a\": {\"$binary\": \"AQID\", \"$type\": \"00\"}, \"b\": {\"$type\": \"00\", \"$binary\":"
                        + " \"AQID\"}}",
                "{\"a\": {\"$regex\": \"^a\", \"$options\": \"i\"}, \"b\": {\"$regex\": \"^a\"}, \"c\": {\"$options\":"
                        + " 1}}",
                "{\"a\": {\"$regularExpression\": {\"pattern\": \"^a\", \"options\": \"xi\"}}}",
                "{\"a\": {\"$type\": \"string\"}, \"b\": {\"$type\": 2}}",
                "{a: {$regex: '^x'}}",
                "{a: {$not: {$regex: '^x'}}, b: {$type: 2}, c: {$options: 'i'}, d: {$ref: 'c', $id: 1}}",
                "{a: /[{]\\/}/i, 'b\\'}': \"{\\\"\", c: ['/', \"'\"]} and what follows",
                "{\"a\": {\"$code\": \"f()\"}, \"b\": {\"$code\": \"f()\", \"$scope\": {\"x\": {\"y\": 1}}}}",
                "{\"a\": {\"$timestamp\": {\"t\": 1, \"i\": 4294967295}}}",
                "{\"a\": {\"$timestamp\": {\"t\": 1, \"i\": 2}}, \"b\": {\"$minKey\": 1}, \"c\": {\"$maxKey\": 1}}",
                "{\"a\": {\"$undefined\": true}, \"b\": {\"$symbol\": \"s\"}}",
                "{\"a\": {\"$dbPointer\": {\"$ref\": \"b.c\", \"$id\": {\"$oid\": \"64b5f0c2a1b2c3d4e5f60718\"}}}}",
                "{\"a\": {\"$ref\": \"c\", \"$id\": 1}, \"b\": {\"x\": 1, \"$oid\": \"y\"}}",
                "{\"a\": {\"$date\": \"2020-01-01\"}, \"b\": {\"$date\": \"2020-01-01T00:00:00+01:00\"}}",
                "{\"a\": {\"\\u0024oid\": \"64b5f0c2a1b2c3d4e5f60718\"}}",
                "{\"a\": {\"$\\u006fid\": \"64b5f0c2a1b2c3d4e5f60718\"}}",
                "{\"$oid\": \"64b5f0c2a1b2c3d4e5f60718\"}",
                "{\"a\": 1, \"b\": 2, \"a\": 3}",
                "{\"a\": {\"b\": 1, \"b\": {\"c\": 1, \"c\": 2}}, \"a\": {\"b\": 1, \"b\": 2}}",
                "{\"a\": {\"$code\": \"f()\", \"$scope\": {\"x\": 1, \"x\": 2}}}",
                "{\"a\": 1, \"\\u0061\": 2}",
            })
    void the_dialects_are_read_as_the_driver_reads_them(String json) {
        assertThat(Driver.parse(json)).as("the driver accepts it").isPresent();
        assertReadsAsTheDriverDoes(json);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " \n",
                "{",
                "[",
                "}",
                "{\"a\"",
                "{\"a\":",
                "{\"a\": 1",
                "{\"a\": \"",
                "{\"a\": \"\\",
                "{\"a\" 1}",
                "{1: 2}",
                "{,}",
                "[,]",
                "foo",
                "tru",
                "nulL",
                "\ufeff{}",
                "{\"a\": 1 /* comment */}",
                "{ // comment\n}",
                "{\"a\": 9223372036854775808}",
                "{\"a\": -9223372036854775809}",
                "{\"a\": 99999999999999999999999999}",
                "{\"a\": 1.}",
                "{\"a\": .5}",
                "{\"a\": +1}",
                "{\"a\": 1e}",
                "{\"a\": 0x10}",
                "{\"a\": \"\\x\"}",
                "{\"a\": \"\\u12\"}",
                "{\"a\": {\"$numberLong\": 5}}",
                "{\"a\": {\"$numberInt\": \"2147483648\"}}",
                "{\"a\": {\"$numberLong\": \"9223372036854775808\"}}",
                "{\"a\": {\"$numberDecimal\": \"x\"}}",
                "{\"a\": {\"$numberDecimal\": \"10000000000000000000000000000000000000000E+6111\"}}",
                "{\"a\": {\"$oid\": \"64b5f0c2a1b2c3d4e5f6071\"}}",
                "{\"a\": {\"$oid\": \"64b5f0c2a1b2c3d4e5f6071g\"}}",
                "{\"a\": {\"$oid\": \"64b5f0c2a1b2c3d4e5f60718\", \"b\": 1}}",
                "{\"a\": {\"$date\": \"2020-13-01T00:00:00Z\"}}",
                "{\"a\": {\"$date\": \"2019-02-29T00:00:00Z\"}}",
                "{\"a\": {\"$date\": \"2020-01-01T24:00:00Z\"}}",
                "{\"a\": {\"$date\": \"2020-01-01T00:00:60Z\"}}",
                "{\"a\": {\"$date\": 1.5}}",
                "{\"a\": {\"$binary\": {\"base64\": \"A\", \"subType\": \"00\"}}}",
                "{\"a\": {\"$binary\": {\"base64\": \"AQ==\", \"subType\": \"zz\"}}}",
                "{\"a\": ObjectId(\"x\")}",
                "{\"a\": Foo(1)}",
                "{\"a\": /b",
                "{\"a\": /b/q}",
            })
    void malformed_text_is_refused(String json) {
        assertThat(Driver.parse(json)).as("the driver refuses it").isEmpty();
        assertThat(parse(json)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Long('5') | {$numberLong: '5'}",
                "Long(-5) | {$numberLong: '-5'}",
                "new Long(\"5\") | {$numberLong: '5'}",
                "Int32(5) | {$numberInt: '5'}",
                "Double(1) | {$numberDouble: '1'}",
                "Decimal128('1.50') | {$numberDecimal: '1.50'}",
                "new Date('2024-01-01') | {$date: '2024-01-01T00:00:00Z'}",
                "Date(\"2024-01-01\") | {$date: '2024-01-01T00:00:00Z'}",
                "new Date('2024-01-01T10:11:12') | {$date: '2024-01-01T10:11:12Z'}",
                "ISODate('2024-01-01 10:11:12.345+01') | {$date: '2024-01-01T09:11:12.345Z'}",
                "ISODate('2024-01-01T00:00:00+0130') | {$date: '2023-12-31T22:30:00Z'}",
                "Timestamp({t: 1, i: 2}) | {$timestamp: {t: 1, i: 2}}",
                "new Timestamp( { \"t\" : 4294967295, 'i': 0 } ) | {$timestamp: {t: 4294967295, i: 0}}",
                "Timestamp(4294967295, 4294967295) | {$timestamp: {t: 4294967295, i: 4294967295}}",
                "{\"$date\": \"2009-04-01T00:00:00.000-0700\"} | {$date: '2009-04-01T07:00:00Z'}",
                "{$date: '2009-04-01T00:00:00.000+0130'} | {$date: '2009-03-31T22:30:00Z'}",
                "\"Long('5')\" | \"Long('5')\"",
                "'new Date(\"x\")' | 'new Date(\"x\")'",
                "/Long(5)/ | {$regularExpression: {pattern: 'Long(5)', options: ''}}",
                "xLong(5) | ",
            })
    void constructors_and_dates_of_shells_are_read(String value, @Nullable String extended) {
        var parsed = parse("{a: [" + value + ", 1], \"b\": '(,)'}");
        assertThat(parsed)
                .isEqualTo(Optional.ofNullable(extended)
                        .flatMap(json -> Driver.parse("{a: [" + json + ", 1], \"b\": '(,)'}")));
    }

    @Test
    void constructors_without_an_argument_make_new_ids() {
        assertThat(JsonParser.parse("[ObjectId(), new UUID()]").asArray().getValues())
                .satisfiesExactly(
                        id -> assertThat(id.isObjectId()).isTrue(),
                        id -> assertThat(id.asBinary().getType()).isEqualTo((byte) 4));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{$timestamp: {t: 4294967296, i: 0}}",
                "{\"$timestamp\": {\"t\": 4294967296, \"i\": 0}}",
                "{$timestamp: {t: 0, i: 99999999999}}",
                "{$timestamp: {t: -1, i: 0}}",
                "Timestamp(4294967296, 1)",
                "Timestamp(-2147483649, 1)",
                "Timestamp({t: 4294967296, i: 1})",
                "{$binary: {base64: 'AQID', subType: '100'}}",
                "{\"$binary\": {\"base64\": \"AQID\", \"subType\": \"100\"}}",
                "{\"$binary\": {\"subType\": \"100\", \"base64\": \"AQID\"}}",
                "{$binary: {base64: 'AQID', subType: 300}}",
                "{$binary: 'AQID', $type: '100'}",
                "{$binary: 'AQID', $type: 256}",
                "{$type: '100', $binary: 'AQID'}",
                "BinData(300, 'AQID')",
                "HexData(-1, 'abcd')",
            })
    void values_out_of_range_are_refused(String value) {
        assertThat(parse("{\"a\": " + value + "}")).isEmpty();
    }

    @Test
    void long_texts_do_not_exhaust_the_stack_of_the_dialect() {
        var text = "\\\"".repeat(1 << 20);
        for (var json : new String[] {"{a: Long(5), b: '%s'}", "{a: Long(5), b: \"%s\"}", "{a: Long(5), b: /%s/}"}) {
            assertThat(parse(json.formatted(json.contains("/") ? "\\d".repeat(1 << 20) : text)))
                    .isPresent();
        }
    }

    @Test
    void text_that_is_not_utf8_is_refused() {
        byte[][] texts = {
            {(byte) 0xc0, (byte) 0x80}, // overlong
            {(byte) 0xe0, (byte) 0x80, (byte) 0xaf},
            {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, // a surrogate
            {(byte) 0xf4, (byte) 0x90, (byte) 0x80, (byte) 0x80}, // beyond U+10FFFF
            {(byte) 0xe2, (byte) 0x82}, // cut off
            {(byte) 0x80},
            {(byte) 0xff}
        };
        for (var text : texts) {
            for (var around : new String[] {"{\"a\": \"?\"}", "{\"?\": 1}", "{a: '?'}", "{} ?"}) {
                int at = around.indexOf('?');
                var json = ByteBuffer.allocate(around.length() - 1 + text.length)
                        .put(around.substring(0, at).getBytes(UTF_8))
                        .put(text)
                        .put(around.substring(at + 1).getBytes(UTF_8))
                        .array();
                assertThatThrownBy(() -> JsonParser.parse(json))
                        .as(around)
                        .isInstanceOf(MalformedJsonException.class)
                        .hasMessage("the text is not UTF-8");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{\"a\": \"\\ud800\"}", "{\"a\": \"\\udc00\\ud800\"}", "{\"\\ud83dx\": 1}", "{a: '\\ud800'}"})
    void half_a_surrogate_pair_is_refused(String json) {
        assertThatThrownBy(() -> JsonParser.parse(json.getBytes(UTF_8)))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessageContaining("surrogate");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\\u0000b\": 1}",
                "{\"a\": {\"$regularExpression\": {\"pattern\": \"\\u0000\", \"options\": \"\"}}}"
            })
    void a_zero_byte_where_bson_ends_a_name_is_refused(String json) {
        assertThatThrownBy(() -> JsonParser.parse(json.getBytes(UTF_8)))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessageContaining("U+0000");
    }

    @Test
    void a_hundred_levels_are_accepted() {
        assertThat(parse("[".repeat(100) + "]".repeat(100))).isPresent();
        assertThat(parse("{\"a\":".repeat(99) + "{}" + "}".repeat(99))).isPresent();
        assertThat(parse("{\"a\":".repeat(100) + "{}" + "}".repeat(100))).isEmpty();
    }

    @Test
    void names_that_repeat_are_found_in_wide_documents_too() {
        for (int width : new int[] {2, 31, 32, 33, 34, 1000}) {
            var json = new StringBuilder("{");
            for (int i = 0; i < width; i++) {
                json.append("\"field").append(i).append("\":").append(i).append(',');
            }
            assertReadsAsTheDriverDoes(json + "\"last\":1}");
            assertReadsAsTheDriverDoes(json + "\"field0\":-1}");
            assertReadsAsTheDriverDoes(json + "\"field" + (width - 1) + "\":-1,\"last\":{}}");
        }
    }

    @Test
    void the_last_of_repeated_values_stands_in_the_first_ones_place() {
        assertThat(JsonEncoder.of(JsonMode.DEFAULT)
                        .encodeToString(JsonParser.parse("{\"a\":1,\"b\":2,\"a\":3}".getBytes(UTF_8))))
                .isEqualTo("{\"a\": 3, \"b\": 2}");
    }

    @Test
    void bytes_become_views_of_bytes_and_strings_become_trees() {
        assertThat(JsonParser.parse("{}".getBytes(UTF_8))).isInstanceOf(RawBsonDocument.class);
        assertThat(JsonParser.parse("[]".getBytes(UTF_8))).isInstanceOf(RawBsonArray.class);
        var tree = JsonParser.parse("[{\"a\": {}}]").asArray();
        var document = tree.get(0).asDocument();
        document.getDocument("a").append("b", new BsonInt32(1));
        tree.add(document.clone());
        assertThat(JsonEncoder.of(JsonMode.DEFAULT).encodeToString(tree))
                .isEqualTo("[{\"a\": {\"b\": 1}}, {\"a\": {\"b\": 1}}]");
    }

    @Test
    void only_a_document_is_a_document() {
        assertThat(JsonParser.parseDocument("{a:1}".getBytes(UTF_8)))
                .isEqualTo(new BsonDocument("a", new BsonInt32(1)));
        for (var json : new String[] {"[]", "1", "{\"$oid\": \"64b5f0c2a1b2c3d4e5f60718\"}"}) {
            assertThatThrownBy(() -> JsonParser.parseDocument(json.getBytes(UTF_8)))
                    .isInstanceOf(MalformedJsonException.class)
                    .hasMessage("the value is not a document");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\": \"ü\"}{\"b\": 1}",
                "{\"a\": \"ü\"},\"b\":2}",
                "{\"a\": \"ü\"},{b:2}",
                "{'a': \"ü\"},{b:2}",
                "[{a:  10}],{b:2}"
            })
    void data_behind_a_document_is_refused(String json) {
        assertThatThrownBy(() -> JsonParser.parse(json))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessage("There is more after the end of the value (line 1, column 11)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\": 1}}", "{\"a\": 1} garbage", "{a: 1},", "{a: 1};"})
    void other_text_behind_a_document_is_ignored_as_by_the_driver_unless_nothing_may_follow(String json) {
        assertThat(JsonParser.parse(json)).isEqualTo(new BsonDocument("a", new BsonInt32(1)));
        assertThatThrownBy(() -> JsonParser.parseWhole(json.getBytes(UTF_8)))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessageStartingWith("There is more after the end of the value (line 1, column ");
    }

    @Test
    void blanks_may_follow() {
        for (var json : new String[] {"{\"a\": 1} \r\n\t", "{a: 1} \r\n\t"}) {
            assertThat(JsonParser.parseWhole(json.getBytes(UTF_8))).isEqualTo(new BsonDocument("a", new BsonInt32(1)));
        }
    }

    @Test
    void a_message_has_a_position_unless_the_text_is_short() {
        assertThatThrownBy(() -> JsonParser.parse("foo")).hasMessage("there is 'foo' where a value is expected");
        assertThatThrownBy(() -> JsonParser.parse("{\"a\": 1,\n \"b\" 2}"))
                .hasMessage("there is '2' where ':' is expected (line 2, column 7)");
        assertThatThrownBy(() -> JsonParser.parse("{\"a\": \"" + "x".repeat(100) + "\", b}"))
                .hasMessage("there is '}' where ':' is expected (line 1, column 112)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\": 1 | the text ends before the value does",
                "{\"a\": | the text ends before the value does",
                "{\"a\": \"x | the text ends before the value does",
                "{\"a\": {\"$oid\": \"zz\"}} | an ObjectId has 24 hexadecimal digits",
                "{\"a\": ObjectId('x')} | an ObjectId has 24 hexadecimal digits",
                "{\"a\": ObjectId('zzzzzzzzzzzzzzzzzzzzzzzz')} | an ObjectId has 24 hexadecimal digits",
                "{\"a\": {\"$numberLong\": \"zz\"}} | 'zz' is not an integer of 64 bits",
                "{\"a\": {\"$numberInt\": \"zz\"}} | 'zz' is not an integer of 32 bits",
                "{\"a\": {\"$numberDecimal\": \"zz\"}} | 'zz' is not a number",
                "{\"a\": {\"$numberDouble\": \"zz\"}} | 'zz' is not a number",
                "{\"a\": NumberLong(\"zz\")} | 'zz' is not a number",
                "{\"a\": {\"$binary\": {\"base64\": \"***\", \"subType\": \"00\"}}} | the binary value is not base64",
                "{\"a\": {\"$uuid\": \"x\"}} | a UUID has 36 characters",
                "{\"a\": {\"$timestamp\": {\"t\": \"x\", \"i\": 1}}} | there is 'x' where an integer is expected",
                "{\"a\": ISODate(\"zz\")} | 'zz' is not a date such as 2024-03-12T21:14:22Z",
                "{\"a\": ISODate(\"2024-01-01T00:00:00ZZ\")} | '2024-01-01T00:00:00ZZ' is not a date such as 2024-03-12T21:14:22Z",
                "{\"a\": 1..2} | there is an invalid number",
                "{\"a\": {\"$date\": \"zz\"}} | 'zz' is not a date such as 2024-03-12T21:14:22Z",
                "{\"a\": Long(5.5)} | '5.5' is not an integer of 64 bits",
                "{\"a\": 9223372036854775808} | '9223372036854775808' is too large for an integer, which has 64 bits"
                        + " (a $numberDecimal has 34 digits)",
            })
    void a_message_says_in_plain_words_what_is_wrong(String json, String said) {
        assertThatThrownBy(() -> JsonParser.parse(json)).hasMessage(said);
    }

    @Test
    void a_message_repeats_little_of_the_text() {
        for (var json : new String[] {
            "{\"a\": " + "x".repeat(5000) + "}",
            "{\"a\": {\"$numberLong\": \"" + "'\"".repeat(5000).replace("\"", "\\\"") + "\"}}",
            "{\"a\": {\"$numberInt\": \"" + "9".repeat(5000) + "\"}}",
            "{\"a\": {\"$date\": \"" + "9".repeat(5000) + "\"}}",
            "{\"a\": ObjectId(\"" + "\u0007".repeat(5000) + "\")}",
        }) {
            assertThatThrownBy(() -> JsonParser.parse(json))
                    .isInstanceOf(MalformedJsonException.class)
                    .message()
                    .hasSizeLessThan(200)
                    .doesNotContainPattern("\\p{Cntrl}");
        }
    }

    private static void assertReadsAsTheDriverDoes(String json) {
        var expected = Driver.parse(json);
        try {
            assertThat(Optional.of(Driver.bytes(JsonParser.parse(json.getBytes(UTF_8)))))
                    .as(json)
                    .isEqualTo(expected);
        } catch (MalformedJsonException e) {
            // Less is accepted here of what it ignores behind a value, and of subtypes, of which it reads any as zero.
            boolean isStricter =
                    e.isAfterTheEnd() || Objects.requireNonNull(e.getMessage()).contains("subtype");
            assertThat(expected.isPresent() && !isStricter).as(json).isFalse();
        }
    }

    private static Optional<ByteBuffer> parse(String json) {
        try {
            return Optional.of(Driver.bytes(JsonParser.parse(json.getBytes(UTF_8))));
        } catch (MalformedJsonException _) {
            return Optional.empty();
        }
    }
}
