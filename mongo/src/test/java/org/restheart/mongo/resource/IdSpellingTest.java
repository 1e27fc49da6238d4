package org.restheart.mongo.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Query;
import org.restheart.http.RequestPath;

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
                BsonNull.VALUE,
                BsonBoolean.TRUE,
                BsonBoolean.FALSE,
                new BsonMinKey(),
                new BsonMaxKey());
    }

    @ParameterizedTest
    @MethodSource("addressable")
    void a_spelled_id_is_read_as_the_same_value(BsonValue id) {
        var parts = IdSpelling.of(id).orElseThrow().split("\\?", 2);
        var segments = RequestPath.parse("/db/c/" + parts[0]).segments();
        var type = parts.length == 1
                ? IdType.STRING_OID
                : IdType.of(Query.parse(parts[1], 1).first("id_type").orElseThrow());

        assertThat(segments).hasSize(3);
        assertThat(type.parse(segments.get(2))).isEqualTo(id);
    }

    static Stream<BsonValue> unaddressable() {
        return Stream.of(new BsonDocument(), new BsonDecimal128(Decimal128.parse("1.5")));
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
