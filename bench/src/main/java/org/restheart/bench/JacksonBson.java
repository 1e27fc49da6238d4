package org.restheart.bench;

import java.io.StringWriter;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.codecs.BsonValueCodec;
import org.bson.codecs.EncoderContext;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriter;
import org.bson.json.JsonWriterSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Converts between BSON and JSON through Jackson trees, for comparison.
final class JacksonBson {
    private static final JsonWriterSettings RELAXED =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();
    private static final JsonMapper JSON = new JsonMapper();

    private JacksonBson() {}

    static byte[] write(BsonDocument document) {
        return JSON.writeValueAsBytes(object(document));
    }

    static JsonNode read(byte[] utf8) {
        return JSON.readTree(utf8);
    }

    private static ObjectNode object(BsonDocument document) {
        var object = JSON.createObjectNode();
        document.forEach((name, value) -> object.set(name, node(value)));
        return object;
    }

    private static ArrayNode array(BsonArray values) {
        var array = JSON.createArrayNode();
        values.forEach(value -> array.add(node(value)));
        return array;
    }

    private static JsonNode node(BsonValue value) {
        var nodes = JSON.getNodeFactory();
        return switch (value.getBsonType()) {
            case DOCUMENT -> object(value.asDocument());
            case ARRAY -> array(value.asArray());
            case STRING -> nodes.stringNode(value.asString().getValue());
            case INT32 -> nodes.numberNode(value.asInt32().getValue());
            case INT64 -> nodes.numberNode(value.asInt64().getValue());
            case DOUBLE -> nodes.numberNode(value.asDouble().getValue());
            case BOOLEAN -> nodes.booleanNode(value.asBoolean().getValue());
            case NULL -> nodes.nullNode();
            case OBJECT_ID -> special("$oid", value.asObjectId().getValue().toHexString());
            case DECIMAL128 ->
                special("$numberDecimal", value.asDecimal128().getValue().toString());
            default -> JSON.readTree(relaxed(value));
        };
    }

    private static ObjectNode special(String name, String value) {
        return JSON.createObjectNode().put(name, value);
    }

    /// Rare types by the driver.
    private static String relaxed(BsonValue value) {
        var text = new StringWriter();
        new BsonValueCodec()
                .encode(
                        new JsonWriter(text, RELAXED),
                        value,
                        EncoderContext.builder().build());
        return text.toString();
    }
}
