package org.restheart.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.restheart.bson.JsonMode;
import org.restheart.bson.fields.Visibility;

/// The lengths of names that are made of those in schemas.
class ComponentNamesTest {
    @Test
    void long_names_of_properties_do_not_add_up() {
        var name = "Books";
        for (int i = 0; i < 20; i++) {
            name = ComponentNames.inner(name, "x".repeat(1_000_000));
            assertThat(name).hasSizeLessThan(700);
        }
        assertThat(ComponentNames.inner(name, "x".repeat(1_000_000) + "y"))
                .isNotEqualTo(ComponentNames.inner(name, "x".repeat(1_000_000) + "z"));
        assertThat(ComponentNames.inner(name + "y".repeat(500), "a"))
                .isNotEqualTo(ComponentNames.inner(name + "z".repeat(500), "a"));
        assertThat(ComponentNames.inner("Books", "short_one")).isEqualTo("Books_short_one");
    }

    @Test
    void properties_at_paths_that_are_too_long_are_not_shown() {
        var visibility = Visibility.of(new BsonDocument("secret", new BsonInt32(0)));
        var redaction = new DocumentSchemas.SchemaRedaction(
                List.of(Optional.of(visibility)), new Components(JsonMode.EXTENDED));
        var inner =
                IntStream.range(0, 1_000).mapToObj(i -> "p" + i + ": {}").collect(Collectors.joining(",", "{", "}"));
        var schema = BsonDocument.parse("{properties: {a: {}, " + "x".repeat(5_000) + ": {}, b: {properties: {"
                + "y".repeat(4_000) + ": {properties: " + inner + "}}}}}");
        assertThat(redaction.redacted(schema, "d")).isEqualTo(schema);
        assertThat(schema.getDocument("properties")).containsOnlyKeys("a", "b");
    }
}
