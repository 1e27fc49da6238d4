package org.restheart.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Content;
import org.restheart.mongo.metadata.EscapedKeys;

class UnescapedJsonTest {
    private static final String[] PARTS = {"_$", "_", "$", "::", ":", ".", "\"", "\\", "a", "ü", "\n", ",", "{"};

    private final Random random = new Random(18);

    private String text() {
        var text = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            text.append(PARTS[random.nextInt(PARTS.length)]);
        }
        return text.toString();
    }

    private BsonValue value(int depth) {
        return switch (random.nextInt(depth > 3 ? 2 : 4)) {
            case 0 -> new BsonString(text());
            case 1 -> new BsonInt32(random.nextInt());
            case 2 -> new BsonArray(java.util.List.of(value(depth + 1), value(depth + 1)));
            default -> new BsonDocument(text() + "1", value(depth + 1)).append(text() + "2", value(depth + 1));
        };
    }

    private static String json(BsonValue value) {
        return JsonEncoder.of(JsonMode.DEFAULT).encodeToString(value);
    }

    @Test
    void keys_are_those_before_they_were_escaped_however_the_text_is_cut() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            var document = new BsonDocument("x", value(0));
            var escaped = json(document).getBytes(StandardCharsets.UTF_8);
            var expected = json(EscapedKeys.unescape(document));
            assertThat(StandardCharsets.UTF_8
                            .decode(DefinitionGuard.UnescapedJson.of(ByteBuffer.wrap(escaped)))
                            .toString())
                    .isEqualTo(expected);
            assertThat(inPieces(escaped, 1 + random.nextInt(7))).isEqualTo(expected);
        }
    }

    private static String inPieces(byte[] json, int length) throws Exception {
        var rest = ByteBuffer.wrap(json);
        var out = new ByteArrayOutputStream();
        try (var unescaped = DefinitionGuard.UnescapedJson.of(new Content.Source() {
            @Override
            public ByteBuffer next() {
                var piece = rest.slice(rest.position(), Math.min(length, rest.remaining()));
                rest.position(rest.position() + piece.remaining());
                return piece;
            }

            @Override
            public void close() {}
        })) {
            for (var piece = unescaped.next(); piece.hasRemaining(); piece = unescaped.next()) {
                out.write(piece.array(), piece.arrayOffset() + piece.position(), piece.remaining());
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
