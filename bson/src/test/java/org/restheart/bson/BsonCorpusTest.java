package org.restheart.bson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/// The BSON corpus of MongoDB's drivers, which `./dev corpora` fetches.
@EnabledIfSystemProperty(named = "corpora", matches = ".+")
class BsonCorpusTest {
    /// What the driver reads, and has always been accepted: this product's own dates, among others.
    private static final Set<String> ACCEPTED =
            Set.of("Bad $binary (type is number, not string)", "Bad $date (number, not string or hash)");

    private static List<BsonDocument> files() throws IOException {
        var files = new ArrayList<BsonDocument>();
        try (var paths = Files.walk(Path.of(System.getProperty("corpora", "")))) {
            for (var path : paths.filter(path -> path.toString().contains("bson_corpus")
                            && path.toString().endsWith(".json"))
                    .sorted()
                    .toList()) {
                files.add(BsonDocument.parse(Files.readString(path)));
            }
        }
        assertThat(files).isNotEmpty();
        return files;
    }

    private static List<BsonDocument> cases(BsonDocument file, String kind) {
        return file.getArray(kind, new BsonArray()).stream()
                .map(BsonValue::asDocument)
                .toList();
    }

    @Test
    void valid_cases_survive() throws IOException {
        var wrong = new ArrayList<String>();
        int count = 0;
        for (var file : files()) {
            for (var valid : cases(file, "valid")) {
                if (valid.containsKey("lossy")) { // its JSON is that of another value
                    continue;
                }
                count++;
                var bytes = HexFormat.of()
                        .parseHex(valid.getString("canonical_bson").getValue());
                var json = valid.getString("canonical_extjson").getValue();
                if (!JsonParser.parseDocument(json.getBytes(UTF_8)).equals(new RawBsonDocument(bytes))) {
                    wrong.add(file.getString("description").getValue() + ": " + valid.toJson());
                }
            }
        }
        System.err.println("BSON corpus: " + (count - wrong.size()) + " of " + count + " valid cases");
        assertThat(wrong).isEmpty();
    }

    @Test
    void malformed_texts_are_refused() throws IOException {
        var accepted = new ArrayList<String>();
        int count = 0;
        for (var file : files()) {
            for (var malformed : cases(file, "parseErrors")) {
                var text = malformed.getString("string").getValue();
                if (file.getString("bson_type", new BsonString("")).getValue().equals("0x13")) {
                    text = "{\"d\": {\"$numberDecimal\": \"" + text + "\"}}";
                }
                count++;
                try {
                    JsonParser.parseWhole(text.getBytes(UTF_8));
                    accepted.add(malformed.getString("description").getValue());
                } catch (MalformedJsonException _) {
                    // as it should be
                }
            }
        }
        System.err.println("BSON corpus: " + (count - accepted.size()) + " of " + count + " malformed texts refused");
        assertThat(accepted).containsExactlyInAnyOrderElementsOf(ACCEPTED);
    }
}
