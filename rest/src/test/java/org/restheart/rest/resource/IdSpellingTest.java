package org.restheart.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Query;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.DataPaths;

class IdSpellingTest {
    static Stream<BsonValue> addressable() {
        return Stream.of(
                new BsonString("abc"),
                new BsonString("a b/c?d#e%f;g+h&é€😀"),
                new BsonString("65f0c0ffee0000000000abcd"),
                new BsonString("5"),
                new BsonObjectId(new ObjectId("65f0c0ffee0000000000abcd")),
                new BsonInt32(-5),
                new BsonInt64(5_000_000_000L),
                new BsonDouble(1.5),
                new BsonDouble(1e300),
                new BsonDateTime(-1),
                new BsonDecimal128(Decimal128.parse("1.50")),
                new BsonDecimal128(Decimal128.parse("-1E+6000")),
                new BsonBinary(UUID.fromString("0ecf4f0c-6d4e-4f2a-9c0d-3b2a1c0d4e5f")),
                new BsonDocument("a", new BsonInt32(1))
                        .append("b/;?", new BsonInt64(1))
                        .append("c", new BsonDocument("d", new BsonString("é\"}"))),
                new BsonDocument(),
                BsonNull.VALUE,
                BsonBoolean.TRUE,
                BsonBoolean.FALSE,
                new BsonMinKey(),
                new BsonMaxKey());
    }

    /// Other modules know them by the list of [DataPaths].
    @Test
    void every_segment_that_is_no_document_is_reserved() {
        assertThat(ResourcePath.words()).isEqualTo(DataPaths.RESERVED);
        assertThat(DataPaths.isReserved("_SIZE")).isTrue();
    }

    @ParameterizedTest
    @MethodSource("addressable")
    void a_spelled_id_is_read_as_the_same_value(BsonValue id) {
        var parts = IdSpelling.of(id).orElseThrow().split("\\?", 2);
        var segments = RequestPath.parse("/db/c/" + parts[0]).segments();
        var type = parts.length == 1
                ? IdType.STRING_OID
                : IdType.valueOf(Query.parse(parts[1], 1).first("id_type").orElseThrow());

        assertThat(segments).hasSize(3);
        assertThat(type.parse(segments.get(2))).isEqualTo(id);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "UUID | 0ecf4f0c6d4e4f2a9c0d3b2a1c0d4e5f",
                "UUID | 1-1-1-1-1",
                "DECIMAL128 | x",
                "DECIMAL128 | 0x1",
                "DOCUMENT | 1",
                "DOCUMENT | {",
                "DOCUMENT | [1]",
                "DOCUMENT | {\"$gt\":\"\"}",
                "DOCUMENT | {\"a\":1,\"$where\":\"1\"}",
                "DOCUMENT | {\"$oid\":\"65f0c0ffee0000000000abcd\"}",
                "DOCUMENT | {\"$regex\":\".*\"}"
            })
    void what_is_no_such_id_is_refused(IdType type, String text) {
        assertThatThrownBy(() -> type.parse(text)).hasMessageContaining("not a valid " + type);
    }

    static Stream<BsonValue> unaddressable() {
        return Stream.of(
                new BsonArray(),
                new BsonDocument("$gt", new BsonInt32(1)),
                new BsonDocument("a", new BsonString("x".repeat(5_000))),
                new BsonBinary(new byte[16]));
    }

    @ParameterizedTest
    @MethodSource("unaddressable")
    void other_types_have_no_spelling(BsonValue id) {
        assertThat(IdSpelling.of(id)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "*",
                "_size",
                "_META",
                "_indexes",
                "_aggrs",
                "_streams",
                "_null",
                "_True",
                "_minkey"
            })
    void strings_that_mean_something_else_in_a_path_have_no_spelling(String id) {
        assertThat(IdSpelling.of(new BsonString(id))).isEmpty();
    }
}
