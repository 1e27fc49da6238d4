package org.restheart.bson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Bounds of sizes and lengths, and the time in which text beyond them is refused.
class JsonParserBoundsTest {
    @ParameterizedTest
    @ValueSource(strings = {"[", "{\"a\": ", "{a: ", "[{\"$set\": ", "{\"$code\": \"\", \"$scope\": {a: "})
    void nesting_is_bounded(String opening) {
        assertThatThrownBy(() -> JsonParser.parse(opening.repeat(100_000).getBytes(UTF_8)))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessage("documents and arrays are nested deeper than 100 levels");
    }

    @Test
    void a_document_larger_than_mongodb_stores_is_refused() {
        // 4 length + 1 type + 2 name + 4 length + text + 1 zero + 1 zero
        int text = 16 * 1024 * 1024 - 13;
        assertThat(JsonParser.parseDocument(("{\"a\":\"" + "x".repeat(text) + "\"}").getBytes(UTF_8))
                        .getByteLength())
                .isEqualTo(16 * 1024 * 1024);
        assertThatThrownBy(() -> JsonParser.parse(("{\"a\":\"" + "x".repeat(text + 1) + "\"}").getBytes(UTF_8)))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessage("a document is larger than 16777216 bytes of BSON");
    }

    @Test
    void an_array_may_be_larger_than_a_document_but_not_without_bound() {
        var documents = "[" + ("{\"a\":\"" + "x".repeat(6_000_000) + "\"},").repeat(3) + "{}]";
        assertThat(JsonParser.parse(documents.getBytes(UTF_8)).asArray()).hasSize(4);
        assertThatThrownBy(() -> JsonParser.parse(("[" + "1,".repeat(8_000_000) + "1]").getBytes(UTF_8)))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessageStartingWith("the value is larger than ");
    }

    @Test
    void texts_may_have_any_digits() {
        var digits = "9".repeat(1_000_000);
        for (var json : new String[] {"{\"number\": \"" + digits + "\"}", "{number: '" + digits + "'}"}) {
            assertThat(JsonParser.parseDocument(json.getBytes(UTF_8)).getString("number"))
                    .extracting(BsonString::getValue)
                    .isEqualTo(digits);
        }
        for (var before : List.of("a: NumberLong(1)", "a: {$numberLong: '1'}", "'\\u00e9': 1", "a: /it's/, c: 1")) {
            var json = "{" + before + ", b: '" + digits + "'}";
            assertThat(JsonParser.parseDocument(json.getBytes(UTF_8)).getString("b"))
                    .as(before)
                    .extracting(BsonString::getValue)
                    .isEqualTo(digits);
        }
        var number = "0." + "1".repeat(999);
        assertThat(JsonParser.parse(number.getBytes(UTF_8)).isDouble()).isTrue();
        assertThat(JsonParser.parse(("[" + number + "]").getBytes(UTF_8)).asArray())
                .hasSize(1);
    }

    @Test
    void numbers_of_absurd_length_are_refused_quickly() {
        var digits = "9".repeat(1_000_000);
        for (var json : new String[] {
            "{\"a\": {\"$numberDecimal\": \"" + digits + "\"}}",
            "{\"a\": {\"$numberDecima\\u006c\": \"" + digits + "\"}}",
            "{\"a\": {\"$numberDecimal\": \"" + "\\u0039".repeat(1_000_000) + "\"}}",
            "{\"a\": NumberDecimal('" + digits.replace('9', '\u0663') + "')}",
            "{\"a\": {\"$numberLong\": \"" + digits + "\"}}",
            "{\"a\": " + digits + "}",
            "{\"a\": -0." + digits + "}",
            "{\"a\": 1e" + digits + "}",
            "{a: '\\'', b: " + digits + "}",
            "{a: /'/, b: " + digits + "}",
            "{'$numberDecimal' \n : \"" + digits + "\"}",
            "[Long(" + digits + ")]",
            "[Decimal128('" + digits + "')]"
        }) {
            assertThat(Duration.ofNanos(timeToRefuse(json))).isLessThan(Duration.ofSeconds(5));
        }
    }

    /// Processor time.
    private static long timeToRefuse(String json) {
        var threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        assertThatThrownBy(() -> JsonParser.parse(json.getBytes(UTF_8)))
                .hasMessage("a number has more than 1000 digits");
        return threads.getCurrentThreadCpuTime() - start;
    }
}
