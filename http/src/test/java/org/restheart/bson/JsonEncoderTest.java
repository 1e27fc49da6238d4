package org.restheart.bson;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class JsonEncoderTest {
    private static final int DOCUMENTS = 3000;

    @ParameterizedTest
    @EnumSource(JsonMode.class)
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

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            default  | {"$date": {"$numberLong": "1568295769260"}} | {"$date": 1568295769260 }
            default  | {"$date": {"$numberLong": "-1"}}            | {"$date": -1 }
            relaxed  | {"$date": {"$numberLong": "1568295769260"}} | {"$date": "2019-09-12T13:42:49.26Z"}
            relaxed  | {"$date": {"$numberLong": "-1"}}            | {"$date": {"$numberLong": "-1"}}
            strict   | {"$date": {"$numberLong": "1568295769260"}} | {"$date": 1568295769260}
            extended | {"$date": {"$numberLong": "1568295769260"}} | {"$date": {"$numberLong": "1568295769260"}}
            shell    | {"$date": {"$numberLong": "1568295769260"}} | ISODate("2019-09-12T13:42:49.260Z")
            default  | 1                                           | 1
            extended | 1                                           | {"$numberInt": "1"}
            default  | {"$numberLong": "7"}                        | 7
            strict   | {"$numberLong": "7"}                        | {"$numberLong": "7"}
            shell    | {"$numberLong": "7"}                        | NumberLong(7)
            shell    | {"$numberLong": "5000000000"}               | NumberLong("5000000000")
            default  | 1.0                                         | 1.0
            default  | 1e30                                        | 1.0E+30
            strict   | 1e30                                        | 1.0E+30
            extended | 1e30                                        | {"$numberDouble": "1.0E+30"}
            """)
    void writes_the_table_of_the_contract(String mode, String input, String expected) {
        var document = BsonDocument.parse("{\"v\": " + input + "}");
        assertThat(JsonEncoder.of(JsonMode.of(mode).orElseThrow()).encodeToString(document))
                .isEqualTo("{\"v\": " + expected + "}");
    }
}
