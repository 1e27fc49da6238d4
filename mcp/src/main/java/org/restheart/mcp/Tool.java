package org.restheart.mcp;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.mcp.Tool.ToolArgument.Kind.ANY;
import static org.restheart.mcp.Tool.ToolArgument.Kind.FLAG;
import static org.restheart.mcp.Tool.ToolArgument.Kind.OBJECT;
import static org.restheart.mcp.Tool.ToolArgument.Kind.OBJECTS;
import static org.restheart.mcp.Tool.ToolArgument.Kind.TEXT;
import static org.restheart.mcp.Tool.ToolArgument.Kind.UPDATE;
import static org.restheart.mcp.Tool.ToolArgument.Kind.VERBOSITY;
import static org.restheart.mcp.Tool.ToolArgument.number;
import static org.restheart.mcp.Tool.ToolArgument.optional;
import static org.restheart.mcp.Tool.ToolArgument.required;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
import org.restheart.http.Nearest;
import org.restheart.http.judged.Via;

/// The tools, in the order in which they are listed. Definitions are short, since hosts send them to the
/// model in every conversation.
enum Tool {
    LIST_DATABASES("list-databases", "Databases in which you may read something", optional("cursor", TEXT, "")),
    LIST_COLLECTIONS(
            "list-collections",
            "Collections that you may read, their kind, and the stored aggregations and change streams they declare",
            required("database", TEXT, ""),
            optional("cursor", TEXT, "")),
    COLLECTION_SCHEMA(
            "collection-schema",
            "Fields and types of a collection's documents, from a sample",
            namespace(number("depth", 1, 8, "default 3"))),
    COLLECTION_INDEXES("collection-indexes", "Indexes of a collection", namespace()),
    FIND(
            "find",
            "Documents of a collection. Ask for few fields",
            namespace(
                    optional("filter", OBJECT, "Extended JSON"),
                    optional("projection", OBJECT, ""),
                    optional("sort", OBJECT, ""),
                    number("limit", 1, Integer.MAX_VALUE, "default 10"),
                    optional("cursor", TEXT, "the 'next' of the same call"),
                    number("max-bytes", 1, Integer.MAX_VALUE, ""))),
    COUNT("count", "How many documents match", namespace(optional("filter", OBJECT, "Extended JSON"))),
    AGGREGATE(
            "aggregate",
            "Runs a pipeline that reads",
            namespace(
                    required("pipeline", OBJECTS, "").within(0, 100),
                    number("limit", 1, Integer.MAX_VALUE, "default 10"),
                    number("max-bytes", 1, Integer.MAX_VALUE, ""))),
    RUN_AGGREGATION(
            "run-aggregation",
            "Runs an aggregation that the collection declares",
            namespace(
                    required("name", TEXT, ""),
                    optional("variables", OBJECT, ""),
                    number("limit", 1, Integer.MAX_VALUE, "default 10"),
                    number("max-bytes", 1, Integer.MAX_VALUE, ""))),
    EXPLAIN(
            "explain",
            "The plan of a query, or of a pipeline: stages, indexes, how much is examined",
            namespace(
                    optional("filter", OBJECT, ""),
                    optional("sort", OBJECT, ""),
                    optional("projection", OBJECT, ""),
                    optional("pipeline", OBJECTS, "").within(0, 100),
                    optional("verbosity", VERBOSITY, ""))),
    WATCH(
            "watch",
            "Waits for changes that a declared stream tells of. Go on with after",
            namespace(
                    required("stream", TEXT, ""),
                    optional("variables", OBJECT, ""),
                    optional("after", TEXT, "the 'next' of the last call"),
                    number("max-events", 1, 100, "default 20"),
                    number("max-seconds", 1, 55, "default 20"))),
    INSERT_MANY(
            "insert-many",
            "Inserts documents",
            Effect.ADDS,
            namespace(required("documents", OBJECTS, "Extended JSON").within(1, 100))),
    UPDATE_MANY(
            "update-many",
            "Changes the documents that match",
            Effect.DESTROYS,
            namespace(
                    required("filter", OBJECT, "not empty"),
                    required("update", UPDATE, "update operators, or a pipeline"),
                    optional("upsert", FLAG, ""),
                    optional("confirmation", TEXT, "the token of the same call, once the user has agreed"))),
    DELETE_MANY(
            "delete-many",
            "Deletes the documents that match",
            Effect.DESTROYS,
            namespace(
                    required("filter", OBJECT, "not empty"),
                    optional("confirmation", TEXT, "the token of the same call, once the user has agreed"))),
    UPDATE_DOCUMENT(
            "update-document",
            "Changes one document that you have read, unless it has changed since",
            Effect.DESTROYS,
            namespace(
                    required("id", ANY, "its _id, Extended JSON"),
                    required("update", UPDATE, "update operators, or a pipeline"),
                    required("etag", TEXT, "the hexadecimal digits of the document's _etag")));

    /// The effect of a call on stored data.
    private enum Effect {
        READS,
        ADDS,
        DESTROYS
    }

    private static final Map<String, Tool> BY_NAME =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Tool::toolName, Function.identity()));

    private static final Set<String> NUMBERED = Set.of("find", "aggregate", "run-aggregation", "watch");

    private final String toolName;
    private final String description;
    private final Effect effect;

    @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable list of records
    private final List<ToolArgument> arguments;

    Tool(String toolName, String description, ToolArgument... arguments) {
        this(toolName, description, Effect.READS, arguments);
    }

    Tool(String toolName, String description, Effect effect, ToolArgument... arguments) {
        this.toolName = toolName;
        this.description = description;
        this.effect = effect;
        this.arguments = List.of(arguments);
    }

    private static ToolArgument[] namespace(ToolArgument... more) {
        var all = new ArrayList<ToolArgument>();
        all.add(required("database", TEXT, ""));
        all.add(required("collection", TEXT, ""));
        all.addAll(List.of(more));
        return all.toArray(ToolArgument[]::new);
    }

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
        return effect != Effect.READS;
    }

    /// The definition for clients.
    BsonDocument definition() {
        var properties = new BsonDocument();
        var required = new BsonArray();
        arguments.forEach(argument -> {
            properties.append(argument.name(), argument.schema());
            if (argument.required()) {
                required.add(new BsonString(argument.name()));
            }
        });
        var input = object("type", "object", "properties", properties);
        if (!required.isEmpty()) {
            input.append("required", required);
        }
        var definition = object(
                "name", toolName,
                "description", description,
                "inputSchema", input.append("additionalProperties", BsonBoolean.FALSE));
        if (NUMBERED.contains(toolName)) {
            definition.append("outputSchema", outputSchema());
        }
        var annotations = object("readOnlyHint", !writes());
        if (writes()) {
            annotations.append("destructiveHint", BsonBoolean.valueOf(effect == Effect.DESTROYS));
        }
        return definition.append("annotations", annotations.append("openWorldHint", BsonBoolean.FALSE));
    }

    private static BsonDocument outputSchema() {
        var properties = object(
                "returned",
                object("type", "integer"),
                "more",
                object("type", "boolean"),
                "next",
                object("type", "string"));
        return object("type", "object", "properties", properties, "required", array("returned", "more"));
    }

    /// Whether the parameters of a request name a tool that writes.
    static boolean isWriting(BsonDocument params) {
        return params.get("name") instanceof BsonString name
                && of(name.getValue()).filter(Tool::writes).isPresent();
    }

    /// @param given the arguments
    /// @throws RefusedCall for the first argument that is missing, invalid or unknown
    void check(BsonDocument given) {
        for (var name : given.keySet()) {
            if (arguments.stream().noneMatch(argument -> argument.name().equals(name))) {
                var known = arguments.stream().map(ToolArgument::name).toList();
                throw RefusedCall.argument("there is no argument " + Fence.quoted(name)
                        + Nearest.question(Fence.cut(name), known) + "; arguments of " + toolName + ": "
                        + String.join(", ", known));
            }
        }
        for (var argument : arguments) {
            @Nullable BsonValue value = given.get(argument.name());
            if (value != null) {
                argument.check(value);
            } else if (argument.required()) {
                throw RefusedCall.argument("the argument '" + argument.name() + "' is missing");
            }
        }
    }

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
}
