package org.restheart.mcp;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.data.Privilege;
import org.restheart.http.Bundled;
import org.restheart.http.judged.Via;
import org.restheart.text.Nearest;

/// The tools, in the order in which they are listed. Their definitions, by which arguments are checked, are in
/// `tools.json`: short, since hosts send them to the model in every conversation.
enum Tool {
    LIST_DATABASES,
    LIST_COLLECTIONS,
    COLLECTION_SCHEMA,
    COLLECTION_INDEXES,
    FIND,
    COUNT,
    AGGREGATE,
    RUN_AGGREGATION,
    EXPLAIN,
    WATCH,
    INSERT_MANY,
    UPDATE_MANY,
    DELETE_MANY,
    UPDATE_DOCUMENT;

    private static final BsonDocument DEFINITIONS = Bundled.json(Tool.class, "tools.json");
    private static final Map<String, Tool> BY_NAME =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Tool::toolName, Function.identity()));

    private static final int MAX_TEXT = 20_000;

    private final String toolName = name().toLowerCase(Locale.ROOT).replace('_', '-');

    static Optional<Tool> of(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    String toolName() {
        return toolName;
    }

    /// As which access rules see its requests.
    Via via() {
        return Via.of(Via.Service.MCP, toolName);
    }

    /// What a permission needs for the tool, besides allowing to read the collection.
    Optional<String> right() {
        return switch (this) {
            case COLLECTION_INDEXES, EXPLAIN -> Optional.of(flag(Privilege.MANAGEMENT));
            case AGGREGATE ->
                Optional.of("method(POST) and " + flag(Privilege.AD_HOC_AGGREGATION)
                        + "; run-aggregation runs stored ones");
            default -> Optional.empty();
        };
    }

    private static String flag(Privilege demand) {
        return "\"mongo\": {\"" + demand.flag() + "\": true}";
    }

    boolean writes() {
        return switch (this) {
            case INSERT_MANY, UPDATE_MANY, DELETE_MANY, UPDATE_DOCUMENT -> true;
            default -> false;
        };
    }

    BsonDocument definition() {
        return DEFINITIONS.getDocument(toolName).clone();
    }

    /// Whether the parameters of a request name a tool that writes.
    static boolean isWriting(BsonDocument params) {
        return params.get("name") instanceof BsonString name
                && of(name.getValue()).filter(Tool::writes).isPresent();
    }

    /// @throws RefusedCall for the first argument that is missing, invalid or unknown
    void check(BsonDocument given) {
        var schema = DEFINITIONS.getDocument(toolName).getDocument("inputSchema");
        var known = schema.getDocument("properties");
        for (var name : given.keySet()) {
            if (!known.containsKey(name)) {
                throw RefusedCall.argument("there is no argument " + Fence.quoted(name)
                        + Nearest.question(Fence.cut(name), known.keySet()) + "; arguments of " + toolName + ": "
                        + String.join(", ", known.keySet()));
            }
        }
        var required = schema.getArray("required", new BsonArray());
        known.forEach((name, argument) -> {
            @Nullable BsonValue value = given.get(name);
            if (value == null && required.contains(new BsonString(name))) {
                throw RefusedCall.argument("the argument '" + name + "' is missing");
            }
            if (value != null && !fits(value, argument.asDocument())) {
                throw RefusedCall.argument("'" + name + "' must be " + wanted(argument.asDocument()));
            }
        });
    }

    /// Whether a value fits a schema, as far as definitions use those.
    private static boolean fits(BsonValue value, BsonDocument schema) {
        return schema.get("enum") instanceof BsonArray values
                ? values.contains(value)
                : !schema.containsKey("type") || types(schema).stream().anyMatch(type -> fits(value, type, schema));
    }

    private static List<String> types(BsonDocument schema) {
        return BsonTexts.several(schema.get("type"));
    }

    private static boolean fits(BsonValue value, String type, BsonDocument schema) {
        return switch (type) {
            case "string" -> value.isString() && value.asString().getValue().length() <= MAX_TEXT;
            case "boolean" -> value instanceof BsonBoolean;
            case "object" -> value.isDocument();
            case "integer" -> {
                double number = value.isNumber() ? value.asNumber().doubleValue() : Double.NaN;
                int max = bound(schema, "maximum", Integer.MAX_VALUE);
                yield number == Math.rint(number)
                        && number >= bound(schema, "minimum", 0)
                        && (max == Integer.MAX_VALUE || number <= max);
            }
            default ->
                value instanceof BsonArray array
                        && array.stream().allMatch(BsonValue::isDocument)
                        && array.size() >= bound(schema, "minItems", 0)
                        && array.size() <= bound(schema, "maxItems", Integer.MAX_VALUE);
        };
    }

    private static int bound(BsonDocument schema, String keyword, int absent) {
        return schema.getNumber(keyword, new BsonInt32(absent)).intValue();
    }

    private static String wanted(BsonDocument schema) {
        return schema.get("enum") instanceof BsonArray values
                ? "one of " + BsonTexts.among(values)
                : types(schema).stream().map(type -> wanted(type, schema)).collect(Collectors.joining(" or "));
    }

    private static String wanted(String type, BsonDocument schema) {
        return switch (type) {
            case "string" -> "a string of at most " + MAX_TEXT + " characters";
            case "boolean" -> "true or false";
            case "object" -> "an object";
            case "integer" -> {
                var max = schema.containsKey("maximum") ? " to " + bound(schema, "maximum", 0) : "";
                yield "an integer from " + bound(schema, "minimum", 0) + max;
            }
            default -> {
                var max = schema.containsKey("maxItems")
                        ? bound(schema, "minItems", 0) + " to " + bound(schema, "maxItems", 0) + " "
                        : "";
                yield "an array of " + max + "objects";
            }
        };
    }
}
