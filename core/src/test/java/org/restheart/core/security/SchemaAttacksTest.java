package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.restheart.testkit.Statuses.assertStatus;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.slf4j.LoggerFactory;

/// Documents that are made such that checking them takes long: nobody holds a processor by one.
@WithMongo
class SchemaAttacksTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        var admin = gateway.as("admin");
        admin.put("/_schemas", "{}");
        assertStatus(201, admin.post("/_schemas", """
            {"_id": "form", "properties": {
              "mail": {"type": "string", "format": "email"}, "site": {"type": "string", "format": "uri"},
              "style": {"type": "string", "format": "style"}, "at": {"type": "string", "format": "utc-millisec"},
              "tags": {"type": "array", "uniqueItems": true},
              "texts": {"type": "array", "items": {"type": "string", "pattern": "^(.+)@(.+)!$"}}}}\
            """));
        assertStatus(201, admin.put("/forms", "{\"jsonSchema\": {\"schemaId\": \"form\"}}"));
    }

    private static int post(String document) {
        return gateway.as("admin").post("/forms", document).statusCode();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mail @", "mail a", "style :", "at 1"})
    @Timeout(180)
    void texts_whose_format_takes_the_square_of_their_length_are_refused(String field) {
        var name = field.split(" ")[0];
        assertThat(post("{\"" + name + "\": \"" + field.split(" ")[1].repeat(300_000) + " \"}"))
                .isEqualTo(400);
    }

    @Test
    @Timeout(180)
    void many_texts_of_a_costly_pattern_are_refused_together() {
        var text = "\"" + "@".repeat(1_500) + "\"";
        var refused = gateway.as("admin").post("/forms", "{\"texts\": [" + (text + ",").repeat(500) + text + "]}");
        assertStatus(400, refused);
        assertThat(refused.body()).contains("takes too long");
    }

    /// Each level of the document doubles what is noted about the next one, all of which `unevaluatedProperties` looks
    /// at.
    @Test
    @Timeout(180)
    void annotations_of_evaluated_values_are_bounded() {
        var admin = gateway.as("admin");
        assertThat(admin.post("/_schemas", """
            {"_id": "tree", "$schema": "https://json-schema.org/draft/2020-12/schema", "$dynamicAnchor": "n",
             "anyOf": [{"properties": {"a": {"$dynamicRef": "#n"}}}, {"properties": {"a": {"$dynamicRef": "#n"}}}],
             "unevaluatedProperties": {"$dynamicRef": "#n"}}\
            """).statusCode()).isEqualTo(201);
        assertThat(admin.put("/trees", "{\"jsonSchema\": {\"schemaId\": \"tree\"}}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(admin.post("/trees", "{\"a\": {\"a\": 1}}").statusCode()).isEqualTo(201);
        assertThat(admin.post("/trees", "{\"a\":".repeat(80) + "1" + "}".repeat(80))
                        .body())
                .contains("takes too long");
    }

    /// What a keyword lists is looked at for each of 100,000 values, and each of them may be wrong in each respect.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"required\": [%s]}",
                "{\"dependentRequired\": {%s}}",
                "{\"properties\": {%s}}",
                "{\"patternProperties\": {%s}}",
                "{\"anyOf\": [%s]}",
            })
    @Timeout(180)
    void long_lists_of_a_schema_for_many_values_are_bounded_together(String keyword) {
        var id = keyword.substring(2, keyword.indexOf('"', 2));
        var member = switch (id) {
            case "required" -> "\"n%d\"";
            case "anyOf" -> "false";
            case "dependentRequired" -> "\"n%d\": [\"x\"]";
            default -> "\"n%d\": {}";
        };
        var members = IntStream.range(0, 5_000).mapToObj(member::formatted).collect(Collectors.joining(","));
        var admin = gateway.as("admin");
        assertThat(admin.post("/_schemas", """
            {"_id": "%s", "$schema": "https://json-schema.org/draft/2020-12/schema",
             "properties": {"list": {"items": %s}}}\
            """.formatted(id, keyword.formatted(members)))
                        .statusCode())
                .isEqualTo(201);
        assertThat(admin.put("/lists", "{\"jsonSchema\": {\"schemaId\": \"" + id + "\"}}")
                        .statusCode())
                .isIn(200, 201);
        assertThat(admin.post("/lists", "{\"list\": [" + "{\"a\": 1},".repeat(100_000) + "1]}")
                        .body())
                .contains("takes too long");
    }

    /// Each of them is valid, and takes a fifth of a second.
    @Test
    @Timeout(180)
    void costly_documents_of_one_request_are_bounded_together() {
        var admin = gateway.as("admin");
        assertThat(admin.post("/_schemas", """
            {"_id": "either", "properties": {"texts": {"type": "array", "items": {
              "anyOf": [{"pattern": "^(.+)@(.+)!$"}, {"type": "string"}]}}}}\
            """).statusCode()).isEqualTo(201);
        assertThat(admin.put("/either", "{\"jsonSchema\": {\"schemaId\": \"either\"}}")
                        .statusCode())
                .isEqualTo(201);
        var text = "\"" + "@".repeat(1_500) + "\"";
        var costly = "{\"texts\": [" + (text + ",").repeat(20) + text + "]}";
        assertThat(admin.post("/either", costly).statusCode()).isEqualTo(201);
        assertThat(admin.post("/either", "[" + (costly + ",").repeat(300) + costly + "]")
                        .body())
                .contains("takes too long");
        var ordinary = "{\"texts\": [\"ada@example.com!\", \"bob\"]}";
        assertThat(admin.post("/either", "[" + (ordinary + ",").repeat(20_000) + ordinary + "]")
                        .statusCode())
                .isEqualTo(200);
    }

    /// The schema is of somebody who means no harm.
    @Test
    @Timeout(180)
    void a_small_document_of_many_violations_is_refused() {
        var admin = gateway.as("admin");
        assertThat(admin.post("/_schemas", """
            {"_id": "items", "properties": {"list": {"items": {"required": ["a", "b"]}}}}\
            """).statusCode()).isEqualTo(201);
        assertThat(admin.put("/items", "{\"jsonSchema\": {\"schemaId\": \"items\"}}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(admin.post("/items", "{\"list\": [" + "{},".repeat(100_000) + "{}]}")
                        .body())
                .contains("200002 schema violations found, #/list/0: ");
    }

    @Test
    void a_pattern_that_is_given_up_writes_nothing_to_the_log() {
        var library = (Logger) LoggerFactory.getLogger("com.networknt.schema");
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        library.addAppender(lines);
        try {
            assertThat(post("{\"texts\": [\"" + "@".repeat(30_000) + "\"]}")).isEqualTo(400);
            assertThat(lines.list).isEmpty();
        } finally {
            library.detachAppender(lines);
        }
    }

    @Test
    void long_texts_of_other_formats_are_taken() {
        assertThat(post("{\"site\": \"data:image/png;base64," + "AbC0".repeat(50_000) + "\"}"))
                .isEqualTo(201);
        assertThat(post("{\"mail\": \"ada@example.com\"}")).isEqualTo(201);
        assertThat(post("{\"mail\": \"ada\"}")).isEqualTo(400);
    }

    /// `Aa` and `BB` have one hash.
    @Test
    void elements_of_one_hash_are_compared_in_time() {
        var tags = IntStream.range(0, 50_000)
                .mapToObj(i -> IntStream.range(0, 16)
                        .mapToObj(bit -> (i >> bit & 1) == 0 ? "Aa" : "BB")
                        .collect(Collectors.joining("", "\"", "\"")))
                .collect(Collectors.joining(","));
        assertThatCode(() -> org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(
                        Patience.relative(Duration.ofSeconds(15)),
                        () -> assertThat(post("{\"tags\": [" + tags + "]}")).isEqualTo(201)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[1, 2, 1]",
                "[1, 1.0]",
                "[{\"a\": 1, \"b\": 2}, {\"b\": 2, \"a\": 1}]",
                "[[], []]",
                "[null, null]"
            })
    void equal_elements_are_refused(String tags) {
        var refused = gateway.as("admin").post("/forms", "{\"tags\": " + tags + "}");
        assertStatus(400, refused);
        assertThat(refused.body()).contains("#/tags: ").contains("unique");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[1, \"1\"]",
                "[true, \"true\"]",
                "[{\"a\": 1}, {\"b\": 1}]",
                "[[1, 2], [2, 1]]",
                "[0, false, null, \"\"]"
            })
    void different_elements_are_taken(String tags) {
        assertThat(post("{\"tags\": " + tags + "}")).isEqualTo(201);
    }
}
