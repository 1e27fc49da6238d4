package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Tries each row of the tables of docs/reference/rules.md, and checks that none is missing. The commands of the page
/// are run by [SecurePageTest].
@WithMongo
class RulesPageTest {
    private static final Path PAGE = Path.of("../docs/reference/rules.md");
    private static final Path PREDICATES = Path.of("../security/src/main/java/org/restheart/security/predicate");
    private static final Pattern CODE = Pattern.compile("`([^`]*)`");
    private static final Pattern REQUEST = Pattern.compile("(\\w+) ([^ ?]+)(?:\\?(\\S+))?(?: -H (.*))?(?: (\\{.*}))?");
    private static final Pattern STORED = Pattern.compile("`(.*)` for `(.*)`");

    private final TestMongo mongo;
    private TestGateway gateway;

    RulesPageTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    @BeforeEach
    void start() {
        gateway = TestGateway.start(mongo, "");
        gateway.collection("users")
                .updateOne(
                        BsonDocument.parse("{_id: 'ada'}"),
                        BsonDocument.parse("{$set: {roles: ['member'], team: 'red', teams: ['red', 'green']}}"));
        gateway.database().createCollection("notes");
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    @Test
    void every_predicate_and_value_decides_as_its_row_says() throws Exception {
        var rows = rows(5);
        assertThat(rows).hasSizeGreaterThan(40);
        for (var row : rows) {
            permit("{\"predicate\": %s}".formatted(quoted(code(row.get(2)).getFirst())));
            for (var allowed : code(row.get(3))) {
                assertThat(decision(allowed)).as("%s: %s", row.get(2), allowed).isEqualTo("allowed");
            }
            for (var refused : code(row.get(4))) {
                assertThat(decision(refused)).as("%s: %s", row.get(2), refused).isEqualTo("refused");
            }
        }
    }

    @Test
    void no_predicate_and_no_attribute_is_missing() throws Exception {
        var described =
                rows(5).stream().flatMap(row -> code(row.getFirst()).stream()).collect(Collectors.toSet());
        assertThat(described).containsAll(found("PredicateBuilder.java", "case \"([a-z-]{3,}|in)\" ->"));
        assertThat(described).containsAll(found("Operand.java", "\"(%[^\"]+)\""));
    }

    @Test
    void every_variable_has_the_value_of_its_row() throws Exception {
        var rows = rows(3).stream()
                .filter(row -> STORED.matcher(row.get(2)).matches())
                .toList();
        assertThat(rows).hasSizeGreaterThan(10);
        for (var row : rows) {
            var example = STORED.matcher(row.get(2));
            assertThat(example.matches()).isTrue();
            permit("{\"predicate\": \"path-prefix('/notes')\", \"mongo\": {\"mergeRequest\": {\"v\": %s}}}"
                    .formatted(quoted(example.group(2))));
            gateway.collection("notes").deleteMany(new BsonDocument());
            assertThat(gateway.as("ada").post("/notes?tag=x", "{}").statusCode())
                    .isEqualTo(201);
            var stored = gateway.collection("notes").find().first();
            var value = new BsonDocument("v", stored.get("v")).toJson();
            var expected = Pattern.quote(example.group(1)).replace("…", "\\E.*\\Q");
            assertThat(milliseconds(value)).as(row.get(2)).matches(Pattern.quote("{\"v\": ") + expected + "}");
        }
    }

    /// The form in which the page shows dates.
    private static String milliseconds(String json) {
        return Pattern.compile("\"(\\d{4}-[^\"]*Z)\"")
                .matcher(json)
                .replaceAll(match -> Long.toString(Instant.parse(match.group(1)).toEpochMilli()));
    }

    private void permit(String permission) {
        var document = BsonDocument.parse(permission);
        document.append("_id", new BsonString("row"));
        document.append("roles", BsonDocument.parse("{r: ['member']}").get("r"));
        var stored = gateway.as("admin").put("/acl/row?wm=upsert", document.toJson());
        assertThat(stored.statusCode()).as(permission + stored.body()).isIn(200, 201);
    }

    private String decision(String request) {
        var matcher = REQUEST.matcher(request);
        assertThat(matcher.matches()).as(request).isTrue();
        var asked = new BsonDocument("as", new BsonString("ada"))
                .append("method", new BsonString(matcher.group(1)))
                .append("path", new BsonString(matcher.group(2)));
        if (matcher.group(3) != null) {
            asked.append("query", new BsonString(matcher.group(3)));
        }
        if (matcher.group(5) != null) {
            asked.append("body", BsonDocument.parse(matcher.group(5)));
        }
        var client = gateway.as("admin");
        var header = matcher.group(4);
        if (header != null) {
            client = client.with(header.split(": ", 2));
        }
        var answer = client.post("/_access/check", asked.toJson());
        assertThat(answer.statusCode()).as(request + answer.body()).isEqualTo(200);
        return BsonDocument.parse(answer.body()).getString("decision").getValue();
    }

    /// The rows of tables with so many columns, but no heads.
    private List<List<String>> rows(int columns) throws IOException {
        var rows = new ArrayList<List<String>>();
        var lines = Files.readAllLines(PAGE);
        for (int i = 1; i < lines.size(); i++) {
            var cells = List.of(lines.get(i).replaceAll("^\\| | \\|$", "").split(" \\| ?", -1));
            boolean isHead = i + 1 < lines.size() && lines.get(i + 1).startsWith("|---");
            if (lines.get(i).startsWith("| ") && !isHead && cells.size() == columns) {
                rows.add(cells);
            }
        }
        return rows;
    }

    private List<String> code(String cell) {
        return CODE.matcher(cell.replace("8080", "" + gateway.address().getPort()))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static Set<String> found(String file, String pattern) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(PREDICATES.resolve(file)))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
    }

    private static String quoted(String text) {
        return new BsonDocument("t", new BsonString(text)).toJson().replaceAll("^\\{\"t\": |}$", "");
    }
}
