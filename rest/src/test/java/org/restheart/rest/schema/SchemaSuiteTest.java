package org.restheart.rest.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoCollection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.bson.JsonParser;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The required cases of the JSON-Schema-Test-Suite, which `./dev corpora` fetches, with schemas from a
/// store.
@WithMongo
@EnabledIfSystemProperty(named = "corpora", matches = ".+")
class SchemaSuiteTest {
    @AutoClose
    private static final BackgroundTasks TASKS = new BackgroundTasks();

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Schemas schemas;
    private final String db;
    private final MongoCollection<BsonDocument> store;

    SchemaSuiteTest(TestMongo mongo) {
        schemas = new Schemas(TASKS, mongo.client(), Duration.ZERO, _ -> true);
        db = mongo.newDatabaseName();
        store = mongo.client().getDatabase(db).getCollection(Schemas.COLLECTION, BsonDocument.class);
    }

    private static List<Path> files(String draft) throws IOException {
        try (var paths = Files.walk(Path.of(System.getProperty("corpora", "")))) {
            return paths.filter(path -> path.toString().endsWith(".json")
                            && path.getParent().endsWith(Path.of("json", "tests", draft)))
                    .sorted()
                    .toList();
        }
    }

    /// @param least the cases that are known to hold: others need schemas of other servers, above all
    @ParameterizedTest
    @CsvSource({
        "draft4, http://json-schema.org/draft-04/schema#, 591",
        "draft6, http://json-schema.org/draft-06/schema#, 797",
        "draft7, http://json-schema.org/draft-07/schema#, 881",
        "draft2019-09, https://json-schema.org/draft/2019-09/schema, 1186",
        "draft2020-12, https://json-schema.org/draft/2020-12/schema, 1198",
    })
    void required_cases_hold(String draft, String dialect, int least) throws IOException {
        var failed = new ArrayList<String>();
        int count = 0;
        for (var file : files(draft)) {
            for (var group : JSON.readTree(Files.readString(file))) {
                var tests = group.get("tests");
                count += tests.size();
                var wrong = wrong(group, dialect);
                wrong.forEach(what -> failed.add(file.getFileName() + ": " + group.get("description") + " " + what));
            }
        }
        System.err.println("JSON Schema, " + draft + ": " + (count - failed.size()) + " of " + count);
        failed.forEach(System.err::println);
        assertThat(count - failed.size()).isPositive().isGreaterThanOrEqualTo(least);
    }

    @SuppressWarnings("IllegalCatch") // each failure is counted
    private List<String> wrong(JsonNode group, String dialect) {
        var wrong = new ArrayList<String>();
        for (var test : group.get("tests")) {
            try {
                var compiled = schemas.compiled(stored(group.get("schema"), dialect));
                var valid = new EvaluationBudget()
                        .violations(compiled.schema(), test.get("data").toString())
                        .isEmpty();
                if (valid != test.get("valid").booleanValue()) {
                    wrong.add(test.get("description").toString());
                }
            } catch (RuntimeException e) {
                wrong.add(test.get("description") + ": " + e.getMessage());
            }
        }
        return wrong;
    }

    private SchemaKey stored(JsonNode schema, String dialect) {
        var text = schema.isBoolean() ? schema.booleanValue() ? "{}" : "{\"not\": {}}" : schema.toString();
        var content = new BsonDocument();
        content.putAll(JsonParser.parseDocument(text.getBytes(UTF_8)));
        content.putIfAbsent("$schema", new BsonString(dialect));
        var id = new BsonString(new ObjectId().toHexString().replace('0', 'x'));
        var document = SchemaForm.stored(db, id, content);
        document.put("_id", id);
        store.insertOne(document);
        return new SchemaKey(db, id);
    }
}
