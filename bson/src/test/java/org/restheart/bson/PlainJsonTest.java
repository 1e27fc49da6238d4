package org.restheart.bson;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlainJsonTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {"$oid": "5d505646cf6d4fe581014ab2"}                        | "5d505646cf6d4fe581014ab2"
        {"$date": "2022-01-12T02:33:23.067Z"}                       | "2022-01-12T02:33:23.067Z"
        {"$date": "2022-01-12T02:33:23Z"}                           | "2022-01-12T02:33:23.000Z"
        {"$date": {"$numberLong": "-1"}}                            | "1969-12-31T23:59:59.999Z"
        {"$date": {"$numberLong": "-62135596800000"}}               | "0001-01-01T00:00:00.000Z"
        {"$date": {"$numberLong": "-62167219200001"}}               | "-000001-12-31T23:59:59.999Z"
        {"$date": {"$numberLong": "253402300800000"}}               | "+010000-01-01T00:00:00.000Z"
        {"$date": {"$numberLong": "8640000000000000"}}              | "+275760-09-13T00:00:00.000Z"
        {"$date": {"$numberLong": "9223372036854775807"}}           | "+292278994-08-17T07:12:55.807Z"
        10                                                          | 10
        {"$numberLong": "9007199254740992"}                         | 9007199254740992
        {"$numberLong": "-9007199254740993"}                        | "-9007199254740993"
        10.5                                                        | 10.5
        {"$numberDouble": "NaN"}                                    | null
        {"$numberDouble": "-Infinity"}                              | null
        {"$numberDecimal": "9823.1297"}                             | "9823.1297"
        {"$binary": {"base64": "AQ==", "subType": "05"}}            | "AQ=="
        {"$uuid": "00112233-4455-6677-8899-aabbccddeeff"}           | "00112233-4455-6677-8899-aabbccddeeff"
        {"$regularExpression": {"pattern": "^\\"", "options": "i"}} | "/^\\"/i"
        {"$timestamp": {"t": 1565545664, "i": 1}}                   | {"$timestamp": {"t": 1565545664, "i": 1}}
        {"$code": "f()"}                                            | "f()"
        {"$symbol": "s"}                                            | "s"
        {"$undefined": true}                                        | null
        [1, {"a": null}]                                            | [1, {"a": null}]
        """)
    void values_are_written_as_front_ends_expect_them(String extended, String plain) {
        var document = BsonDocument.parse("{\"v\": " + extended + "}");
        var expected = "{\"v\": " + plain + "}";
        assertThat(JsonEncoder.of(JsonMode.PLAIN).encodeToString(document)).isEqualTo(expected);
        assertThat(JsonEncoder.of(JsonMode.PLAIN).encodeToString(Driver.raw(document)))
                .isEqualTo(expected);
    }
}
