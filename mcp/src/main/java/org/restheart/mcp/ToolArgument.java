package org.restheart.mcp;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;

/// An argument of a tool, from which both its JSON Schema and its validation are derived. Immutable.
///
/// @param description empty if the name suffices
/// @param min of a number; elements of an array
/// @param max of a number; elements of an array; [Integer#MAX_VALUE] for no bound
record ToolArgument(String name, Kind kind, boolean required, String description, int min, int max) {
    /// The type of a value.
    enum Kind {
        TEXT,
        NUMBER,
        FLAG,
        OBJECT,
        OBJECTS,
        /// An object, or an array of objects.
        UPDATE,
        VERBOSITY,
        ANY
    }

    private static final List<String> VERBOSITIES = List.of("queryPlanner", "executionStats");
    private static final int MAX_TEXT = 20_000;

    static ToolArgument required(String name, Kind kind, String description) {
        return new ToolArgument(name, kind, true, description, 0, Integer.MAX_VALUE);
    }

    static ToolArgument optional(String name, Kind kind, String description) {
        return new ToolArgument(name, kind, false, description, 0, Integer.MAX_VALUE);
    }

    static ToolArgument number(String name, int min, int max, String description) {
        return new ToolArgument(name, Kind.NUMBER, false, description, min, max);
    }

    ToolArgument within(int least, int most) {
        return new ToolArgument(name, kind, required, description, least, most);
    }

    /// As JSON Schema.
    BsonDocument schema() {
        var schema = new BsonDocument();
        switch (kind) {
            case TEXT -> type(schema, "string");
            case FLAG -> type(schema, "boolean");
            case OBJECT -> type(schema, "object");
            case NUMBER -> {
                type(schema, "integer");
                bound(schema, "minimum", "maximum");
            }
            case OBJECTS -> {
                type(schema, "array");
                schema.append("items", new BsonDocument("type", new BsonString("object")));
                bound(schema, "minItems", "maxItems");
            }
            case UPDATE -> schema.append("type", BsonTexts.array(List.of("object", "array")));
            case VERBOSITY -> schema.append("enum", BsonTexts.array(VERBOSITIES));
            case ANY -> {}
        }
        if (!description.isEmpty()) {
            schema.append("description", new BsonString(description));
        }
        return schema;
    }

    private static void type(BsonDocument schema, String type) {
        schema.append("type", new BsonString(type));
    }

    private void bound(BsonDocument schema, String least, String most) {
        if (min > 0) {
            schema.append(least, new BsonInt32(min));
        }
        if (max < Integer.MAX_VALUE) {
            schema.append(most, new BsonInt32(max));
        }
    }

    /// @throws RefusedCall naming the expected type
    void check(BsonValue value) {
        boolean fits = switch (kind) {
            case TEXT -> value.isString() && value.asString().getValue().length() <= MAX_TEXT;
            case FLAG -> value instanceof BsonBoolean;
            case OBJECT -> value.isDocument();
            case NUMBER ->
                value.isNumber()
                        && value.asNumber().doubleValue()
                                == Math.rint(value.asNumber().doubleValue())
                        && value.asNumber().doubleValue() >= min
                        && (max == Integer.MAX_VALUE || value.asNumber().doubleValue() <= max);
            case OBJECTS -> value instanceof BsonArray array && areObjects(array) && isWithin(array.size());
            case UPDATE -> value.isDocument() || (value instanceof BsonArray stages && areObjects(stages));
            case VERBOSITY ->
                value.isString() && VERBOSITIES.contains(value.asString().getValue());
            case ANY -> true;
        };
        if (!fits) {
            throw RefusedCall.argument("'" + name + "' must be " + wanted());
        }
    }

    private static boolean areObjects(BsonArray array) {
        return array.stream().allMatch(BsonValue::isDocument);
    }

    private boolean isWithin(int size) {
        return size >= min && size <= max;
    }

    private String wanted() {
        return switch (kind) {
            case TEXT -> "a string of at most " + MAX_TEXT + " characters";
            case FLAG -> "true or false";
            case OBJECT -> "an object";
            case NUMBER -> "an integer from " + min + (max == Integer.MAX_VALUE ? "" : " to " + max);
            case OBJECTS ->
                max == Integer.MAX_VALUE ? "an array of objects" : "an array of " + min + " to " + max + " objects";
            case UPDATE -> "an object or an array of objects";
            case VERBOSITY -> "one of " + VERBOSITIES;
            case ANY -> "there";
        };
    }
}
