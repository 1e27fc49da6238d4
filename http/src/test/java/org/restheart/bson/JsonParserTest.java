package org.restheart.bson;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JsonParserTest {
    private static final int DOCUMENTS = 3000;

    @ParameterizedTest
    @EnumSource(JsonMode.class)
    void reads_every_mode_as_the_driver_does(JsonMode mode) {
        for (var document : RandomBson.documents(DOCUMENTS)) {
            var json = Driver.json(document, mode);
            BsonDocument expected;
            try {
                expected = BsonDocument.parse(json);
            } catch (RuntimeException e) {
                continue;
            }
            assertThat(JsonParser.parseDocument(json.getBytes(StandardCharsets.UTF_8))
                            .getByteBuffer()
                            .asNIO())
                    .as(json)
                    .isEqualTo(Driver.raw(expected).getByteBuffer().asNIO());
        }
    }
}
