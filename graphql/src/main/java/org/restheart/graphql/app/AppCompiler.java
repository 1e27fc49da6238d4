package org.restheart.graphql.app;

import com.mongodb.MongoNamespace;
import graphql.Directives;
import graphql.GraphQLException;
import graphql.TypeResolutionEnvironment;
import graphql.language.EnumTypeDefinition;
import graphql.language.InterfaceTypeDefinition;
import graphql.language.UnionTypeDefinition;
import graphql.schema.DataFetcher;
import graphql.schema.DataFetchingEnvironment;
import graphql.schema.FieldCoordinates;
import graphql.schema.GraphQLCodeRegistry;
import graphql.schema.GraphQLDirective;
import graphql.schema.GraphQLFieldDefinition;
import graphql.schema.GraphQLInterfaceType;
import graphql.schema.GraphQLNamedType;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLSchema;
import graphql.schema.GraphQLUnionType;
import graphql.schema.LightDataFetcher;
import graphql.schema.idl.RuntimeWiring;
import graphql.schema.idl.SchemaGenerator;
import graphql.schema.idl.TypeDefinitionRegistry;
import graphql.schema.idl.TypeRuntimeWiring;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.graphql.app.DefinitionWarnings.Misspellings;
import org.restheart.text.Nearest;

/// Compiles the mappings of one definition, and with them its schema. Confined to one thread.
public final class AppCompiler {
    private static final String RESOLVER = "$typeResolver";
    private static final FieldCoordinates DIRECTIVES = FieldCoordinates.coordinates("__Schema", "directives");

    /// Directives that graphql-java adds to every schema, and that are not supported.
    private static final Set<GraphQLDirective> ADDED =
            Set.of(Directives.DeferDirective, Directives.ExperimentalDisableErrorPropagationDirective);

    private final Apps.Limits limits;
    private final Apps.Fetchers fetchers;
    private final TypeDefinitionRegistry registry;
    private final BsonDocument mappings;
    private final Map<String, FieldMapping> fields = new LinkedHashMap<>();
    private final Map<String, Map<String, TypePredicate>> resolvers = new LinkedHashMap<>();

    AppCompiler(Apps.Limits limits, Apps.Fetchers fetchers, TypeDefinitionRegistry registry, BsonDocument mappings) {
        this.limits = limits;
        this.fetchers = fetchers;
        this.registry = registry;
        this.mappings = mappings;
    }

    /// The mapped fields, by `Type.field`, as the definition orders them.
    Map<String, FieldMapping> fields() {
        return Collections.unmodifiableMap(fields);
    }

    /// Reads the mappings of fields.
    void read() throws InvalidApp {
        for (var entry : mappings.entrySet()) {
            var type = registry.getTypeOrNull(entry.getKey());
            var mapping = entry.getValue().asDocument();
            switch (type) {
                case EnumTypeDefinition _, InterfaceTypeDefinition _, UnionTypeDefinition _ -> {}
                case null, default -> readFields(entry.getKey(), mapping);
            }
        }
    }

    private void readFields(String type, BsonDocument mapping) throws InvalidApp {
        for (var field : mapping.entrySet()) {
            var name = type + "." + field.getKey();
            fields.put(name, new MappingReader(name, limits).read(field.getValue()));
        }
    }

    /// Reads the predicates of abstract types, whose members may be declared by extensions of types.
    private void readResolvers(GraphQLSchema schema) throws InvalidApp {
        for (var type : schema.getAllTypesAsList()) {
            switch (type) {
                case GraphQLInterfaceType anInterface ->
                    readResolver(
                            "interface",
                            anInterface,
                            Objects.requireNonNullElse(schema.getImplementations(anInterface), List.of()));
                case GraphQLUnionType union -> readResolver("union", union, union.getTypes());
                default -> {}
            }
        }
    }

    private void readResolver(String kind, GraphQLNamedType type, List<? extends GraphQLNamedType> members)
            throws InvalidApp {
        var concrete = members.stream().map(GraphQLNamedType::getName).toList();
        var what = kind + " " + type.getName();
        var declared = declaredResolver(type.getName(), what);
        var unmapped =
                concrete.stream().filter(name -> !declared.containsKey(name)).toList();
        if (!unmapped.isEmpty()) {
            throw new InvalidApp("$typeResolver for " + what + " does not map all "
                    + (kind.equals("union") ? "union members" : "implementing types") + ": "
                    + String.join(", ", unmapped) + "."
                    + Misspellings.misspelt(unmapped.getFirst(), declared.keySet(), concrete));
        }
        var predicates = new LinkedHashMap<String, TypePredicate>();
        for (var predicate : declared.entrySet()) {
            if (!predicate.getValue().isString()) {
                throw new InvalidApp("error parsing $typeResolver predicate: the one for " + predicate.getKey() + " of "
                        + what + " must be a String");
            }
            predicates.put(
                    predicate.getKey(),
                    TypePredicate.parse(predicate.getValue().asString().getValue()));
        }
        predicates.keySet().retainAll(concrete);
        resolvers.put(type.getName(), predicates);
    }

    /// @param what the type in messages
    private BsonDocument declaredResolver(String type, String what) throws InvalidApp {
        var mapping = mappings.containsKey(type) ? mappings.getDocument(type) : new BsonDocument();
        var declared = mapping.get(RESOLVER);
        if (declared == null) {
            var hint = Misspellings.misspelt(RESOLVER, mapping.keySet(), List.of(RESOLVER));
            throw new InvalidApp("Missing $typeResolver for " + what + (hint.isEmpty() ? "" : "." + hint));
        }
        if (!declared.isDocument()) {
            throw new InvalidApp("$typeResolver for " + what + " must be an Object but was " + declared.getBsonType());
        }
        return declared.asDocument();
    }

    /// The schema, whose fields are loaded as the mappings say.
    GraphQLSchema schema() throws InvalidApp {
        try {
            var schema = new SchemaGenerator().makeExecutableSchema(registry, wiring());
            readResolvers(schema);
            var codes = GraphQLCodeRegistry.newCodeRegistry(schema.getCodeRegistry());
            for (var type : schema.getAllTypesAsList()) {
                if (type instanceof GraphQLObjectType object
                        && !object.getName().startsWith("__")) {
                    addFetchers(object, codes);
                }
            }
            DataFetcher<?> directives = environment -> directives(environment.getGraphQLSchema());
            codes.dataFetcher(DIRECTIVES, directives);
            return schema.transform(builder -> builder.codeRegistry(codes.build()));
        } catch (GraphQLException e) {
            throw new InvalidApp("Invalid GraphQL schema: "
                    + Misspellings.inSchema(e, registry.types().keySet()));
        }
    }

    private RuntimeWiring wiring() {
        var wiring = RuntimeWiring.newRuntimeWiring();
        BsonScalars.all(limits.strictScalars()).forEach(wiring::scalar);
        registry.types().values().forEach(type -> {
            switch (type) {
                case EnumTypeDefinition anEnum -> {
                    var values = mappings.getDocument(anEnum.getName(), new BsonDocument());
                    wiring.type(TypeRuntimeWiring.newTypeWiring(anEnum.getName())
                            .enumValues(name -> values.getOrDefault(name, new BsonString(name))));
                }
                case InterfaceTypeDefinition _, UnionTypeDefinition _ ->
                    wiring.type(TypeRuntimeWiring.newTypeWiring(type.getName())
                            .typeResolver(environment -> resolved(type.getName(), environment)));
                default -> {}
            }
        });
        return wiring.build();
    }

    private @Nullable GraphQLObjectType resolved(String type, TypeResolutionEnvironment environment) {
        var node = Objects.requireNonNull(environment.<Node>getObject());
        for (var candidate : resolvers.getOrDefault(type, Map.of()).entrySet()) {
            if (candidate.getValue().test(node.value())) {
                return environment.getSchema().getObjectType(candidate.getKey());
            }
        }
        return null;
    }

    private boolean loadsFields(GraphQLObjectType type) {
        return type.getFieldDefinitions().stream()
                .map(field -> fields.get(type.getName() + "." + field.getName()))
                .anyMatch(mapping -> mapping != null && !(mapping instanceof FieldMapping.Path));
    }

    private void addFetchers(GraphQLObjectType type, GraphQLCodeRegistry.Builder codes) {
        for (var field : type.getFieldDefinitions()) {
            var name = type.getName() + "." + field.getName();
            var shape = FieldShape.of(field.getType(), limits.strictScalars(), this::loadsFields);
            var mapping = fields.get(name);
            boolean hasNoValue = switch (type.getName()) {
                case Apps.QUERY -> mapping == null;
                case Apps.MUTATION -> true;
                case Apps.SUBSCRIPTION -> !(mapping instanceof FieldMapping.Stream);
                default -> false;
            };
            DataFetcher<?> fetcher;
            if (hasNoValue) {
                fetcher = PathFetcher.NOTHING;
            } else if (mapping == null) {
                fetcher = new PathFetcher(ValuePath.parse(field.getName()), shape);
            } else if (mapping instanceof FieldMapping.Path(var path)) {
                fetcher = new PathFetcher(path, shape);
            } else {
                fetcher = fetchers.of(name, mapping, shape);
            }
            codes.dataFetcher(FieldCoordinates.coordinates(type, field), fetcher);
        }
    }

    /// Finds a field in its parent document.
    private record PathFetcher(ValuePath path, FieldShape shape) implements LightDataFetcher<@Nullable Object> {
        /// For fields without a mapping.
        static final LightDataFetcher<@Nullable Object> NOTHING = new LightDataFetcher<>() {
            @Override
            public @Nullable Object get(
                    GraphQLFieldDefinition field, Object source, Supplier<DataFetchingEnvironment> environment) {
                return null;
            }

            @Override
            public @Nullable Object get(DataFetchingEnvironment environment) {
                return null;
            }
        };

        @Override
        public @Nullable Object get(
                GraphQLFieldDefinition field, @Nullable Object source, Supplier<DataFetchingEnvironment> environment) {
            var parent = source instanceof Node node ? node : Node.NOTHING;
            return path.find(parent.value())
                    .map(value -> shape.of(value, parent.root()))
                    .orElse(null);
        }

        @Override
        public @Nullable Object get(DataFetchingEnvironment environment) {
            return get(environment.getFieldDefinition(), environment.getSource(), () -> environment);
        }
    }

    /// Whether the name is that of a directive that is not supported. An app may declare its own one of the
    /// same name.
    public static boolean isUnsupported(GraphQLSchema schema, String name) {
        return ADDED.stream().anyMatch(directive -> directive.getName().equals(name))
                && ADDED.contains(schema.getDirective(name));
    }

    static List<GraphQLDirective> directives(GraphQLSchema schema) {
        return schema.getDirectives().stream()
                .filter(directive -> !ADDED.contains(directive))
                .toList();
    }

    /// Determines the concrete type of a value: `field-exists(a, b.c)`, `field-eq(field=a.b,
    /// value='<JSON>')`, `value-eq('<JSON>')`, `true`, `false`, with `not`, `and`, `or` and parentheses.
    /// Immutable.
    @FunctionalInterface
    private interface TypePredicate {
        boolean test(BsonValue value);

        /// @throws InvalidApp naming what is wrong
        static TypePredicate parse(String text) throws InvalidApp {
            return new Parser(text).parse();
        }

        /// Recursive descent over tokens: quoted texts, words, and single characters.
        final class Parser {
            private static final Pattern TOKEN = Pattern.compile(
                    "\\s*(?:'((?:[^'\\\\]++|\\\\.)*+)'|([^\\s(),='\"]+)|([(),=])|\"((?:[^\"\\\\]++|\\\\.)*+)\")");
            private static final List<String> PREDICATES =
                    List.of("field-exists", "field-eq", "value-eq", "true", "false", "not");
            private static final int MAX_DEPTH = 50;

            private final String text;
            private final List<Token> tokens = new ArrayList<>();
            private int at;

            private record Token(String text, boolean quoted) {}

            private Parser(String text) {
                this.text = text;
            }

            private TypePredicate parse() throws InvalidApp {
                tokenize();
                var predicate = or(0);
                if (at < tokens.size()) {
                    throw wrong("unexpected '" + tokens.get(at).text + "'");
                }
                return predicate;
            }

            private void tokenize() throws InvalidApp {
                var matcher = TOKEN.matcher(text);
                int end = 0;
                while (matcher.find() && matcher.start() == end) {
                    end = matcher.end();
                    if (matcher.group(1) != null) {
                        tokens.add(new Token(matcher.group(1).replace("\\'", "'"), true));
                    } else if (matcher.group(4) != null) {
                        tokens.add(new Token(matcher.group(4).replace("\\\"", "\""), true));
                    } else {
                        tokens.add(new Token(matcher.group(matcher.group(2) != null ? 2 : 3), false));
                    }
                }
                if (!text.substring(end).isBlank()) {
                    throw wrong("unexpected '" + text.substring(end).strip() + "'");
                }
            }

            private TypePredicate or(int depth) throws InvalidApp {
                var left = and(depth);
                while (take("or")) {
                    var first = left;
                    var second = and(depth);
                    left = value -> first.test(value) || second.test(value);
                }
                return left;
            }

            private TypePredicate and(int depth) throws InvalidApp {
                var left = term(depth);
                while (take("and")) {
                    var first = left;
                    var second = term(depth);
                    left = value -> first.test(value) && second.test(value);
                }
                return left;
            }

            private TypePredicate term(int depth) throws InvalidApp {
                if (depth > MAX_DEPTH) {
                    throw wrong("it is nested too deeply");
                }
                if (take("not")) {
                    var negated = term(depth + 1);
                    return value -> !negated.test(value);
                }
                if (take("(")) {
                    var inner = or(depth + 1);
                    require(")");
                    return inner;
                }
                var name = next();
                return switch (name.text) {
                    case "true" -> _ -> true;
                    case "false" -> _ -> false;
                    case "field-exists" -> fieldExists();
                    case "field-eq" -> fieldEq();
                    case "value-eq" -> valueEq();
                    default ->
                        throw wrong("unknown predicate '" + name.text + "'" + Nearest.question(name.text, PREDICATES));
                };
            }

            private TypePredicate fieldExists() throws InvalidApp {
                require("(");
                var paths = new ArrayList<ValuePath>();
                do {
                    paths.add(ValuePath.parse(next().text));
                } while (take(","));
                require(")");
                return value -> paths.stream().allMatch(path -> path.find(value).isPresent());
            }

            private TypePredicate fieldEq() throws InvalidApp {
                require("(");
                @Nullable ValuePath path = null;
                @Nullable BsonValue expected = null;
                do {
                    var name = next().text;
                    require("=");
                    switch (name) {
                        case "field" -> path = ValuePath.parse(next().text);
                        case "value" -> expected = json(next().text);
                        default -> throw wrong("unknown parameter '" + name + "'");
                    }
                } while (take(","));
                require(")");
                if (path == null || expected == null) {
                    throw wrong("field-eq needs field and value");
                }
                var where = path;
                var what = expected;
                return value -> where.find(value).filter(what::equals).isPresent();
            }

            private TypePredicate valueEq() throws InvalidApp {
                require("(");
                if (take("value")) {
                    require("=");
                }
                var expected = json(next().text);
                require(")");
                return expected::equals;
            }

            private BsonValue json(String json) throws InvalidApp {
                try {
                    var values = JsonParser.parse("[" + json + "]").asArray();
                    if (values.size() == 1) {
                        return values.getFirst();
                    }
                } catch (MalformedJsonException _) { // reported below
                }
                throw wrong("'" + json + "' is not JSON");
            }

            private Token next() throws InvalidApp {
                if (at == tokens.size()) {
                    throw wrong("it ends too early");
                }
                return tokens.get(at++);
            }

            private boolean take(String expected) {
                if (at < tokens.size()
                        && !tokens.get(at).quoted
                        && tokens.get(at).text.equals(expected)) {
                    at++;
                    return true;
                }
                return false;
            }

            private void require(String expected) throws InvalidApp {
                if (!take(expected)) {
                    throw wrong("'" + expected + "' expected");
                }
            }

            private InvalidApp wrong(String why) {
                return new InvalidApp("error parsing $typeResolver predicate: " + text + ": " + why);
            }
        }
    }

    /// Reads the mapping of one field from a definition, and refuses what is wrong with it. Confined to one
    /// thread.
    ///
    /// @param place such as `Query.items`
    private record MappingReader(String place, Apps.Limits limits) {
        private static final String STREAM = "stream";
        private static final String AVARS = "avars";
        private static final String STAGES = "stages";

        FieldMapping read(BsonValue value) throws InvalidApp {
            if (value.isString()) {
                return new FieldMapping.Path(ValuePath.parse(value.asString().getValue()));
            }
            if (!value.isDocument()) {
                throw wrong(" must be a String or a Document, but it is a " + name(value));
            }
            var mapping = value.asDocument();
            var namespace = new MongoNamespace(name(mapping, "db"), name(mapping, "collection"));
            if (limits.onlyDatabase()
                    .filter(db -> !db.equals(namespace.getDatabaseName()))
                    .isPresent()) {
                throw wrong(" uses the database " + namespace.getDatabaseName() + ", only "
                        + limits.onlyDatabase().get() + " is allowed");
            }
            if (mapping.containsKey(STREAM)) {
                return stream(mapping, namespace);
            }
            boolean operators = flag(mapping, "allowOperators") || limits.allowOperators();
            var source = new FieldMapping.Source(namespace, asCaller(mapping), loading(mapping));
            var stages = mapping.get(STAGES);
            return stages == null ? find(mapping, source, operators) : pipeline(mapping, stages, source, operators);
        }

        private FieldMapping stream(BsonDocument mapping, MongoNamespace namespace) throws InvalidApp {
            if (!place.startsWith("Subscription.")) {
                throw wrong(" is to a stream, which only fields of Subscription are");
            }
            for (var key : List.of("find", STAGES)) {
                if (mapping.containsKey(key)) {
                    throw wrong(" has both '" + STREAM + "' and '" + key + "'");
                }
            }
            if (mapping.containsKey("as") && !asCaller(mapping)) {
                throw wrong(" must have 'caller' as the property 'as', if any:"
                        + " streams are listened to as their callers");
            }
            var uri = name(mapping, STREAM);
            if (uri.contains("/")) {
                throw wrong(" has no valid name in the property '" + STREAM + "'");
            }
            var variables = mapping.get(AVARS);
            require(mapping, AVARS, variables == null || variables.isDocument(), "Document");
            var path = mapping.get("path");
            require(mapping, "path", path == null || path.isString(), "String");
            return new FieldMapping.Stream(
                    namespace,
                    uri,
                    variables == null
                            ? null
                            : template(AVARS, variables, Template.Position.VALUES, flag(mapping, "allowOperators")),
                    path == null ? null : ValuePath.parse(path.asString().getValue()));
        }

        private String name(BsonDocument mapping, String key) throws InvalidApp {
            var name = mapping.get(key);
            if (name == null) {
                throw wrong(" does not specify the property '" + key + "'."
                        + DefinitionKeys.misspeltInMapping(key, mapping));
            }
            require(mapping, key, name.isString(), "String");
            var text = name.asString().getValue();
            if (!isName(key, text)) {
                throw wrong(" has no valid name in the property '" + key + "'");
            }
            return text;
        }

        private static boolean isName(String key, String text) {
            try {
                if (key.equals("db")) {
                    MongoNamespace.checkDatabaseNameValidity(text);
                }
                return !text.isEmpty() && text.indexOf('\0') < 0;
            } catch (IllegalArgumentException _) {
                return false;
            }
        }

        private boolean asCaller(BsonDocument mapping) throws InvalidApp {
            var as = mapping.get("as");
            if (as == null) {
                return limits.asCaller();
            }
            require(mapping, "as", as.isString(), "String");
            return switch (as.asString().getValue()) {
                case "caller" -> true;
                case "app" -> false;
                default -> throw wrong(" requires the property 'as' to be 'app' or 'caller'");
            };
        }

        private FieldMapping.Loading loading(BsonDocument mapping) throws InvalidApp {
            var declared = mapping.get("dataLoader");
            if (declared == null) {
                return FieldMapping.Loading.USUAL;
            }
            if (declared.isBoolean() && !declared.asBoolean().getValue()) {
                return new FieldMapping.Loading(true, false, false, 1);
            }
            require(mapping, "dataLoader", declared.isDocument(), "Document");
            return FieldMapping.Loading.of(declared.asDocument());
        }

        private FieldMapping find(BsonDocument mapping, FieldMapping.Source source, boolean operators)
                throws InvalidApp {
            var find = mapping.getOrDefault("find", new BsonDocument());
            require(mapping, "find", find.isDocument(), "Document");
            var sort = mapping.get("sort");
            require(mapping, "sort", sort == null || sort.isDocument(), "Document");
            var skip = mapping.get("skip");
            require(mapping, "skip", skip == null || skip.isDocument() || skip.isNumber(), "Document or a number");
            var limit = mapping.get("limit");
            require(mapping, "limit", limit == null || limit.isDocument() || limit.isInt32(), "Document or an int32");
            if (limit != null && limit.isInt32()) {
                checkLimit(limit.asInt32().getValue());
            }
            return new FieldMapping.Find(
                    source,
                    template("find", find, Template.Position.FILTER, operators),
                    sort == null ? null : template("sort", sort, Template.Position.PLAIN, operators),
                    skip == null ? null : template("skip", skip, Template.Position.PLAIN, operators),
                    limit == null ? null : template("limit", limit, Template.Position.PLAIN, operators));
        }

        private void checkLimit(int limit) throws InvalidApp {
            if (limit > limits.maxLimit()) {
                throw new InvalidApp("Error with field 'limit' of type "
                        + place.substring(0, place.indexOf('.')) + ", value cannot be grater than "
                        + limits.maxLimit());
            }
            if (limit < 0) {
                throw wrong(" has a negative limit");
            }
        }

        private FieldMapping pipeline(
                BsonDocument mapping, BsonValue stages, FieldMapping.Source source, boolean operators)
                throws InvalidApp {
            require(mapping, STAGES, stages.isArray(), "Array");
            return new FieldMapping.Pipeline(
                    source,
                    template(STAGES, stages, Template.Position.STAGES, operators),
                    flag(mapping, "allowDiskUse"));
        }

        private Template template(String key, BsonValue value, Template.Position position, boolean operators)
                throws InvalidApp {
            try {
                return Template.of(value, position, operators);
            } catch (InvalidApp e) {
                throw wrong(" is wrong in '" + key + "': " + e.getMessage());
            }
        }

        private boolean flag(BsonDocument mapping, String key) throws InvalidApp {
            var value = mapping.get(key);
            require(mapping, key, value == null || value.isBoolean(), "Boolean");
            return value != null && value.asBoolean().getValue();
        }

        private void require(BsonDocument mapping, String key, boolean holds, String type) throws InvalidApp {
            if (!holds) {
                throw wrong(" requires the property '" + key + "' to be a " + type + " but it is a "
                        + name(mapping.get(key)));
            }
        }

        private InvalidApp wrong(String what) {
            return new InvalidApp("The mapping for " + place + what);
        }

        private static String name(@Nullable BsonValue value) {
            return value == null ? "missing value" : value.getBsonType().name();
        }
    }
}
