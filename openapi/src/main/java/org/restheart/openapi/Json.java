package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;
import tools.jackson.dataformat.yaml.util.StringQuotingChecker;

/// Factories of JSON Schemas and of parts of OpenAPI documents.
final class Json {
    private static final ObjectMapper JSON = new JsonMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build());
    private static final ObjectMapper YAML = YAMLMapper.builder(YAMLFactory.builder()
                    .stringQuotingChecker(new QuotedNames())
                    .build())
            .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER, YAMLWriteFeature.SPLIT_LINES)
            .build();

    private Json() {}

    static BsonDocument type(String name) {
        return object("type", name);
    }

    static BsonDocument list(BsonDocument items) {
        return object("type", "array", "items", items);
    }

    /// @param required names of the members that all have
    static BsonDocument members(BsonDocument properties, String... required) {
        var schema = object("type", "object", "properties", properties);
        return required.length == 0 ? schema : schema.append("required", array((Object[]) required));
    }

    static BsonDocument content(String mediaType, BsonDocument schema) {
        return object(mediaType, object("schema", schema));
    }

    static BsonDocument schema(String component) {
        return reference("schemas", component);
    }

    /// The name of the component to which a schema refers; empty for one that is no reference.
    static Optional<String> component(BsonDocument schema) {
        return schema.get("$ref") instanceof BsonString reference
                ? Optional.of(
                        reference.getValue().substring(reference.getValue().lastIndexOf('/') + 1))
                : Optional.empty();
    }

    static BsonDocument reference(String section, String component) {
        return object("$ref", "#/components/" + section + "/" + component);
    }

    /// Stored text, escaped for viewers that interpret it as Markdown with HTML.
    static String prose(String text) {
        var cut = text.length() > 2_000 ? text.substring(0, 2_000) : text;
        return cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /// An OpenAPI document as JSON or YAML, in UTF-8. Characters beyond U+FFFF are themselves, not two
    /// escaped halves: YAML, as which many tools read JSON, has no halves.
    static byte[] encode(BsonDocument document, boolean yaml) {
        var tree = JSON.readTree(JsonEncoder.of(JsonMode.DEFAULT).encodeToString(document));
        return (yaml ? YAML : JSON).writeValueAsBytes(tree);
    }

    /// Names such as `200` and `null` are texts.
    private static final class QuotedNames extends StringQuotingChecker {
        private static final long serialVersionUID = 1;

        @Override
        public boolean needToQuoteName(String name) {
            return true;
        }

        @Override
        public boolean needToQuoteValue(String value) {
            return true;
        }
    }
}
