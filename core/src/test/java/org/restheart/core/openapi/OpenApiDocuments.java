package org.restheart.core.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Holds documents to the schema of OpenAPI 3.1.
public final class OpenApiDocuments {
    private static final Schema SCHEMA = schema("/org/restheart/core/openapi/openapi-3.1.schema.json");

    private OpenApiDocuments() {}

    /// A JSON Schema among the resources of tests.
    public static Schema schema(String resource) {
        try (var in = OpenApiDocuments.class.getResourceAsStream(resource)) {
            return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                    .getSchema(new String(in.readAllBytes(), StandardCharsets.UTF_8), InputFormat.JSON);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A document that is valid, whose references lead somewhere, and in which no two operations have one name.
    public static BsonDocument checked(String text) {
        var document = (BsonDocument) bson(JsonMapper.shared().readTree(text));
        check(text, document);
        return document;
    }

    /// Keys such as `$date` are keys here, not types.
    private static BsonValue bson(JsonNode json) {
        return switch (json) {
            case ObjectNode object -> {
                var document = new BsonDocument();
                object.properties().forEach(entry -> document.append(entry.getKey(), bson(entry.getValue())));
                yield document;
            }
            case ArrayNode array -> {
                var all = new BsonArray();
                array.forEach(element -> all.add(bson(element)));
                yield all;
            }
            default ->
                json.isString()
                        ? new BsonString(json.stringValue())
                        : BsonDocument.parse("{v: " + json + "}").get("v");
        };
    }

    private static void check(String text, BsonDocument document) {
        assertThat(SCHEMA.validate(text, InputFormat.JSON)).as(text).isEmpty();
        references(document, document);
        var ids = new HashSet<BsonValue>();
        document.getDocument("paths")
                .values()
                .forEach(item -> item.asDocument().values().stream()
                        .filter(BsonValue::isDocument)
                        .map(operation -> operation.asDocument().get("operationId"))
                        .forEach(id ->
                                assertThat(ids.add(id)).as(String.valueOf(id)).isTrue()));
    }

    private static void references(BsonValue value, BsonDocument root) {
        if (value instanceof BsonArray array) {
            array.forEach(element -> references(element, root));
        } else if (value instanceof BsonDocument object) {
            if (object.get("$ref") instanceof BsonString reference) {
                BsonValue at = root;
                for (var step : reference.getValue().substring(2).split("/")) {
                    at = at.asDocument().get(step);
                    assertThat(at).as(reference.getValue()).isNotNull();
                }
            }
            object.values().forEach(inner -> references(inner, root));
        }
    }
}
