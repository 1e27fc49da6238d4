package org.restheart.rest.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonArray;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.bson.JsonParser;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.ProblemException;

/// What [Csv] writes is what [CsvReader] reads.
class CsvRoundTripTest {
    private static final int DOCUMENTS = 3_000;

    /// What texts are made of: everything that means something in CSV, in a header, or in JSON.
    private static final List<String> PIECES = List.of(
            "",
            " ",
            "\t",
            "\u2028",
            "\u00a0",
            "\"",
            "\"\"",
            ",",
            ";",
            "|",
            "\n",
            "\r",
            "\r\n",
            ":",
            ":int",
            ":strng",
            "a",
            "é",
            "😀",
            "\uFEFF",
            "{",
            "[",
            "}",
            "]",
            "true",
            "null",
            "NaN",
            "-",
            "0",
            "1",
            "07",
            "1.5e-07",
            "6.02e23",
            "9223372036854775807",
            "=1+1",
            "'",
            "\\",
            "{\"a\": ",
            "x y");

    private static String csv(List<String> columns, List<BsonDocument> documents) {
        return csv(new Csv(columns, false), documents);
    }

    private static String csv(Csv format, List<BsonDocument> documents) {
        var out = new Utf8Buffer();
        format.begin(out);
        documents.forEach(document -> format.document(document, 0, out));
        return new String(out.toByteArray(), UTF_8);
    }

    private static List<BsonValue> read(String csv) throws IOException {
        return all(new CsvReader(new ByteArrayInputStream(csv.getBytes(UTF_8))));
    }

    private static List<BsonValue> all(CsvReader reader) throws IOException {
        var documents = new ArrayList<BsonValue>();
        for (var next = reader.next(); next != null; next = reader.next()) {
            switch (next) {
                case DocumentReader.Entry.Parsed parsed -> documents.add(parsed.value());
                case DocumentReader.Entry.Malformed malformed ->
                    throw malformed.problem().raise();
            }
        }
        return documents;
    }

    private static String text(Random random) {
        var text = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            text.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return text.toString();
    }

    private static String name(Random random) {
        return text(random).replace(".", "");
    }

    private static BsonValue value(Random random, int depth) {
        return switch (random.nextInt(depth > 1 ? 6 : 8)) {
            case 0 -> new BsonInt32(random.nextInt());
            case 1 -> new BsonInt64(random.nextLong() | 1L << 40);
            case 2 -> new BsonDouble(random.nextGaussian() * Math.pow(10, random.nextInt(600) - 300));
            case 3 -> new BsonDouble(random.nextInt(1000) / 8.0);
            case 4 -> BsonBoolean.valueOf(random.nextBoolean());
            case 5 -> new BsonString(text(random));
            case 6 -> new BsonArray(List.of(value(random, depth + 1), new BsonObjectId(new ObjectId())));
            default -> new BsonDocument(name(random), value(random, depth + 1));
        };
    }

    /// A text that is itself an object or array in JSON is read as that, which only a type in the header prevents.
    private static boolean isJson(BsonValue value) {
        if (!(value instanceof BsonString text) || !text.getValue().matches("(?s)[{\\[].*")) {
            return false;
        }
        try {
            JsonParser.parse(text.getValue());
            return true;
        } catch (RuntimeException _) {
            return false;
        }
    }

    @Test
    void random_documents_are_read_as_they_were_written() throws IOException {
        for (int seed = 0; seed < DOCUMENTS; seed++) {
            var random = new Random(seed);
            var document = new BsonDocument("_id", new BsonInt32(seed));
            for (int i = random.nextInt(5); i > 0; i--) {
                var value = value(random, 0);
                if (!isJson(value)) {
                    document.put(name(random), value);
                }
            }
            var other = new BsonDocument("_id", new BsonInt32(-1)); // lacks what the first has
            var csv = csv(List.copyOf(document.keySet()), List.of(document, other));
            assertThat(read(csv)).as("%d: %s", seed, csv).containsExactly(document, other);
        }
    }

    /// A cell may have millions of values, each of which would be an object.
    @ParameterizedTest
    @ValueSource(strings = {"a\n\"[{},{}]\"\n", "a:json\n\"[{},{}]\"\n"})
    void json_in_a_cell_stays_bytes(String csv) throws IOException {
        assertThat(read(csv).getFirst().asDocument().get("a")).isInstanceOf(RawBsonArray.class);
    }

    @Test
    void types_that_json_lacks_are_read_as_their_columns_say() throws IOException {
        var document = new BsonDocument("_id", new BsonObjectId(new ObjectId()))
                .append("at", new BsonDateTime(1_710_277_762_123L))
                .append("price", new BsonDecimal128(Decimal128.parse("1.50")))
                .append("rate", new BsonDouble(Double.NaN))
                .append("n", new BsonInt64(5))
                .append("note", new BsonString("{\"a\": 1}"));
        var csv = csv(List.copyOf(document.keySet()), List.of(document));
        assertThat(read(csv.replaceFirst(".*", "_id:oid,at:date,price:decimal,rate:double,n:long,note:string")))
                .containsExactly(document);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "1.5e-07 ~ {v: 1.5e-7}",
                "1E5 ~ {v: 100000.0}",
                "1.0E-7 ~ {v: 1.0e-7}",
                "-0.5E+3 ~ {v: -500.0}",
                "2147483648 ~ {v: {$numberLong: '2147483648'}}",
                "9223372036854775808 ~ {v: '9223372036854775808'}",
                "007 ~ {v: '007'}",
                "1e ~ {v: '1e'}",
                ".5 ~ {v: '.5'}",
                "NaN ~ {v: 'NaN'}",
                "` 5 ` ~ {v: 5}",
                "` x ` ~ {v: ' x '}",
                "\" 5\" ~ {v: ' 5'}",
                "` \"r\"` ~ {v: ' \"r\"'}",
                "a\"b\"c ~ {v: 'a\"b\"c'}",
                "\"a\"\"b\" ~ {v: 'a\"b'}",
                "\"\" ~ {v: ''}",
                "{\"a\": \"x,y\"} ~ {v: {a: 'x,y'}}",
                "[draft ~ {v: '[draft'}",
            })
    void a_cell_is_what_it_looks_like(String cell, String expected) throws IOException {
        assertThat(read("n,v\r\n," + cell + "\r\n")).containsExactly(JsonParser.parse(expected));
    }

    @Test
    void code_is_plain_text_whatever_it_says() {
        var code = "NumberLong('" + "9".repeat(1_001) + "')\\";
        var document = new BsonDocument("a", new BsonJavaScript(code));
        assertThat(csv(new Csv(List.of("a"), true), List.of(document))).isEqualTo("a\r\n" + code + "\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void lines_may_end_as_they_like(String end) throws IOException {
        var csv = "\uFEFF" + String.join(end, "a,b", "1,\"x" + end + "y\"", "", "  ", "2,", "3,z");
        for (var last : List.of("", end)) {
            assertThat(read(csv + last))
                    .containsExactly(
                            new BsonDocument("a", new BsonInt32(1)).append("b", new BsonString("x" + end + "y")),
                            new BsonDocument("a", new BsonInt32(2)),
                            new BsonDocument("a", new BsonInt32(3)).append("b", new BsonString("z")));
        }
    }

    @Test
    void tabs_separate_cells_too() throws IOException {
        var tabs = "a\tb,c\td:string\n1\tx, y\t5\n\"p\tq\"\t\t\n";
        assertThat(all(CsvReader.ofTabs(new ByteArrayInputStream(tabs.getBytes(UTF_8)))))
                .containsExactly(JsonParser.parse("{a: 1, 'b,c': 'x, y', d: '5'}"), JsonParser.parse("{a: 'p\tq'}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "`a,b\n1,\"x\ny\n` ~ Invalid CSV. The quote that opens in line 2 is not closed.",
                "`a,,\n1,2,3\n` ~ Invalid CSV. Two columns without a name have cells.",
                "`a,b\n"
                        + "1,2,3\n"
                        + "` ~ Invalid CSV. The row has 3 cells, the first line 2; text with a comma stands in quotes.",
            })
    void what_would_be_lost_is_refused(String csv, @Nullable String message) {
        assertThatThrownBy(() -> read(csv))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().message()).isEqualTo(message));
    }
}
