package org.restheart.bson;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// JSON as the Atlas Data API wrote it.
class AtlasJsonTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {"$oid": "5d505646cf6d4fe581014ab2"}                        | "5d505646cf6d4fe581014ab2"
        {"$date": "2022-01-12T02:33:23.067Z"}                       | "2022-01-12T02:33:23.067Z"
        {"$date": "2022-01-12T02:33:23Z"}                           | "2022-01-12T02:33:23.000Z"
        {"$date": {"$numberLong": "253402300800000"}}               | "+10000-01-01T00:00:00Z"
        10                                                          | 10
        {"$numberLong": "9007199254740993"}                         | 9007199254740993
        10.5                                                        | 10.5
        10.0                                                        | 10
        {"$numberDouble": "NaN"}                                    | "NaN"
        {"$numberDouble": "-Infinity"}                              | "-Infinity"
        {"$numberDecimal": "9823.1297"}                             | "9823.1297"
        {"$binary": {"base64": "AQ==", "subType": "05"}}            | {"Subtype": 5, "Data": "AQ=="}
        {"$regularExpression": {"pattern": "^H", "options": "i"}}   | {"Pattern": "^H", "Options": "i"}
        {"$timestamp": {"t": 1565545664, "i": 1}}                   | {"T": 1565545664, "I": 1}
        {"$minKey": 1}                                              | {}
        {"$maxKey": 1}                                              | {}
        {"$numberDouble": "Infinity"}                               | "Infinity"
        {"$dbPointer": {"$ref": "c", "$id": {"$oid": "5d505646cf6d4fe581014ab2"}}} | {}
        {"$code": "f()"}                                            | "f()"
        {"$code": "f()", "$scope": {"a": 1}}                        | "f()"
        {"$symbol": "s"}                                            | "s"
        {"$undefined": true}                                        | null
        [1, {"a": null}]                                            | [1, {"a": null}]
        """)
    void types_are_written_as_the_data_api_wrote_them(String extended, String plain) {
        var document = BsonDocument.parse("{\"v\": " + extended + "}");
        var expected = "{\"v\": " + plain + "}";
        assertThat(JsonEncoder.of(JsonMode.ATLAS).encodeToString(document)).isEqualTo(expected);
        assertThat(JsonEncoder.of(JsonMode.ATLAS).encodeToString(Driver.raw(document)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {"_etag": 1}                             | {}
        {"_etag": 1, "a": 1}                     | {"a": 1}
        {"a": 1, "_etag": {"b": 1}}              | {"a": 1}
        {"_eta": 1, "_etags": {"_etag": 2}}      | {"_eta": 1, "_etags": {"_etag": 2}}
        """)
    void the_entity_tag_of_a_document_may_be_left_out(String stored, String shown) {
        assertThat(JsonEncoder.of(JsonMode.ATLAS_UNTAGGED).encodeToString(Driver.raw(BsonDocument.parse(stored))))
                .isEqualTo(shown);
    }

    @org.junit.jupiter.api.Test
    void canonical_documents_without_tags_are_canonical_otherwise() {
        var document = Driver.raw(BsonDocument.parse("{\"_etag\": 1, \"n\": 1}").append("d", new BsonDateTime(0)));
        assertThat(JsonEncoder.of(JsonMode.EXTENDED_UNTAGGED).encodeToString(document))
                .isEqualTo("{\"n\": {\"$numberInt\": \"1\"}, \"d\": {\"$date\": {\"$numberLong\": \"0\"}}}");
    }
}
