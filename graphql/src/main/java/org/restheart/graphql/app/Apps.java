package org.restheart.graphql.app;

import com.mongodb.MongoNamespace;
import graphql.GraphQLException;
import graphql.TypeResolutionEnvironment;
import graphql.language.EnumTypeDefinition;
import graphql.language.InterfaceTypeDefinition;
import graphql.language.ScalarTypeDefinition;
import graphql.language.TypeDefinition;
import graphql.language.UnionTypeDefinition;
import graphql.schema.DataFetcher;
import graphql.schema.FieldCoordinates;
import graphql.schema.GraphQLCodeRegistry;
import graphql.schema.GraphQLInterfaceType;
import graphql.schema.GraphQLNamedType;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLSchema;
import graphql.schema.GraphQLUnionType;
import graphql.schema.idl.RuntimeWiring;
import graphql.schema.idl.SchemaGenerator;
import graphql.schema.idl.SchemaParser;
import graphql.schema.idl.TypeDefinitionRegistry;
import graphql.schema.idl.TypeRuntimeWiring;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// Compiles definitions to apps. Thread-safe.
public final class Apps {
    static final List<String> STANDARD = List.of("Int", "Float", "String", "Boolean", "ID");
    private static final String QUERY = "Query";
    private static final String MUTATION = "Mutation";
    private static final String SUBSCRIPTION = "Subscription";
    private static final String RESOLVER = "$typeResolver";

    private final Limits limits;
    private final Fetchers fetchers;
    private final Refusals refusals;

    /// Creates the fetchers of fields that are mapped to queries.
    @FunctionalInterface
    public interface Fetchers {
        /// @param name `Type.field`
        DataFetcher<?> of(String name, FieldMapping mapping, FieldShape shape);
    }

    /// Tells which pipelines the configuration refuses.
    @FunctionalInterface
    public interface Refusals {
        /// Why the pipeline would be refused whatever the values of its variables; empty if it may be run.
        Optional<String> of(MongoNamespace namespace, List<BsonDocument> stages);
    }

    public Apps(Limits limits, Fetchers fetchers, Refusals refusals) {
        this.limits = limits;
        this.fetchers = fetchers;
        this.refusals = refusals;
    }

    /// @param definition with unescaped keys
    /// @param uris its paths, which are those of the definition as it is stored
    /// @param strict whether to refuse unknown keys, of which [#warnings] tells otherwise
    /// @throws InvalidApp naming the location of the error
    public App compile(BsonDocument definition, AppUris uris, boolean strict) throws InvalidApp {
        var descriptor = descriptor(definition, uris, strict);
        if (uris.own().isEmpty()) {
            throw new InvalidApp(
                    definition.isString("_id")
                            ? "the _id must be one segment of a path if there is no descriptor.uri: without slashes and"
                                    + " control characters"
                            : "the _id must be a String if there is no descriptor.uri");
        }
        var registry = registry(definition);
        var mappings = mappings(definition);
        checkQuery(mappings);
        var compiler = new Compiler(registry, mappings);
        compiler.read();
        if (strict) {
            DefinitionKeys.check(definition, compiler.fields.keySet());
        }
        var schema = compiler.schema();
        var enabled = descriptor.get("enabled");
        return new App(
                uris,
                schema,
                Map.copyOf(compiler.fields),
                documents(definition.get("documents")),
                enabled == null || enabled.asBoolean().getValue());
    }

    /// What a definition says without effect, or what will fail. May block for metadata.
    ///
    /// @param definition with unescaped keys
    /// @param app compiled of it
    public List<String> warnings(BsonDocument definition, App app) {
        return DefinitionWarnings.of(definition, app.schema(), app.fields(), refusals);
    }

    private static BsonDocument descriptor(BsonDocument definition, AppUris uris, boolean strict) throws InvalidApp {
        var descriptor = definition.getOrDefault("descriptor", new BsonDocument());
        if (!descriptor.isDocument()) {
            throw new InvalidApp("'Descriptor' field must be an Object but was " + descriptor.getBsonType());
        }
        var members = descriptor.asDocument();
        for (var text : List.of("uri", "description")) {
            require(!members.containsKey(text) || members.get(text).isString(), text + " must be a String");
        }
        require(!members.containsKey("enabled") || members.get("enabled").isBoolean(), "enabled must be a Boolean");
        if (members.containsKey("uri")) {
            require(uris.declared().isPresent(), "uri must not be empty");
            require(
                    !strict || uris.declared().filter(AppUris::isPath).isPresent(),
                    "uri must be a path whose segments are not empty, . or .., without control characters");
        }
        return members;
    }

    private static void require(boolean holds, String what) throws InvalidApp {
        if (!holds) {
            throw new InvalidApp("Error with GraphQL App Descriptor: " + what);
        }
    }

    private static TypeDefinitionRegistry registry(BsonDocument definition) throws InvalidApp {
        var schema = definition.get("schema");
        if (schema == null || !schema.isString()) {
            throw new InvalidApp("Invalid GraphQL schema: "
                    + (schema == null
                            ? "it is missing." + DefinitionKeys.misspelt("schema", definition)
                            : "it must be a String but was " + schema.getBsonType()));
        }
        try {
            var registry = new SchemaParser().parse(schema.asString().getValue());
            for (var name : STANDARD) {
                requireUndeclared(registry.getTypeOrNull(name));
            }
            for (var name : BsonScalars.NAMES) {
                requireUndeclared(registry.getTypeOrNull(name));
                registry.add(ScalarTypeDefinition.newScalarTypeDefinition()
                        .name(name)
                        .build());
            }
            if (registry.getTypeOrNull(QUERY) == null) {
                throw new InvalidApp("Invalid GraphQL schema: there is no type Query."
                        + Mistakes.misspelt(QUERY, registry.types().keySet(), List.of(QUERY, MUTATION, SUBSCRIPTION)));
            }
            return registry;
        } catch (GraphQLException e) {
            throw new InvalidApp("Invalid GraphQL schema: " + Mistakes.inSchema(e, List.of()));
        }
    }

    /// The standard scalars of GraphQL are in the registry without a declaration, so without a location.
    private static void requireUndeclared(@Nullable TypeDefinition<?> type) throws InvalidApp {
        if (type != null && type.getSourceLocation() != null) {
            throw new InvalidApp("Invalid GraphQL schema: it redefines the scalar " + type.getName());
        }
    }

    private static Map<String, String> documents(@Nullable BsonValue documents) throws InvalidApp {
        var named = new LinkedHashMap<String, String>();
        if (documents == null) {
            return named;
        }
        if (!documents.isDocument()) {
            throw new InvalidApp("'documents' field must be an Object but was " + documents.getBsonType());
        }
        for (var document : documents.asDocument().entrySet()) {
            if (!document.getValue().isString()) {
                throw new InvalidApp("The document " + document.getKey() + " must be a String");
            }
            named.put(document.getKey(), document.getValue().asString().getValue());
        }
        return Map.copyOf(named);
    }

    private static BsonDocument mappings(BsonDocument definition) throws InvalidApp {
        var mappings = definition.get("mappings");
        if (mappings == null) {
            throw new InvalidApp("Missing mappings: please provide a mapping for at least one Query."
                    + DefinitionKeys.misspelt("mappings", definition));
        }
        if (!mappings.isDocument()) {
            throw new InvalidApp("'mappings' field must be an Object but was " + mappings.getBsonType());
        }
        return mappings.asDocument();
    }

    private static void checkQuery(BsonDocument mappings) throws InvalidApp {
        var query = mappings.get(QUERY);
        if (query == null || (query.isDocument() && query.asDocument().isEmpty())) {
            throw new InvalidApp(
                    "Missing or empty mappings for type Query: please provide a mapping for at least one Query."
                            + Mistakes.misspelt(QUERY, mappings.keySet(), List.of(QUERY, MUTATION, SUBSCRIPTION)));
        }
        for (var type : mappings.entrySet()) {
            if (!type.getValue().isDocument()) {
                throw new InvalidApp("Error with mappings of type: " + type.getKey() + ". It must be an Object but was "
                        + type.getValue().getBsonType());
            }
        }
    }

    /// Compiles one definition. Confined to one thread.
    private final class Compiler {
        private final TypeDefinitionRegistry registry;
        private final BsonDocument mappings;
        private final Map<String, FieldMapping> fields = new LinkedHashMap<>();
        private final Map<String, Map<String, TypePredicate>> resolvers = new LinkedHashMap<>();

        Compiler(TypeDefinitionRegistry registry, BsonDocument mappings) {
            this.registry = registry;
            this.mappings = mappings;
        }

        void read() throws InvalidApp {
            for (var entry : mappings.entrySet()) {
                var type = registry.getTypeOrNull(entry.getKey());
                var mapping = entry.getValue().asDocument();
                switch (type) {
                    case EnumTypeDefinition _ -> {}
                    case InterfaceTypeDefinition _, UnionTypeDefinition _ -> {}
                    case null, default -> readFields(entry.getKey(), mapping);
                }
            }
        }

        private void readFields(String type, BsonDocument mapping) throws InvalidApp {
            for (var field : mapping.entrySet()) {
                var name = type + "." + field.getKey();
                fields.put(name, new FieldMapping.Reader(name, limits).read(field.getValue()));
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
            var mapping = mappings.get(type.getName());
            var declared = mapping == null ? null : mapping.asDocument().get(RESOLVER);
            if (declared == null) {
                throw new InvalidApp("Missing $typeResolver for " + what
                        + (mapping == null
                                ? ""
                                : "."
                                        + Mistakes.misspelt(
                                                RESOLVER, mapping.asDocument().keySet(), List.of(RESOLVER))));
            }
            if (!declared.isDocument()) {
                throw new InvalidApp(
                        "$typeResolver for " + what + " must be an Object but was " + declared.getBsonType());
            }
            var mapped = declared.asDocument().keySet();
            var unmapped =
                    concrete.stream().filter(name -> !mapped.contains(name)).toList();
            if (!unmapped.isEmpty()) {
                throw new InvalidApp("$typeResolver for " + what + " does not map all "
                        + (kind.equals("union") ? "union members" : "implementing types") + ": "
                        + String.join(", ", unmapped) + "."
                        + Mistakes.misspelt(unmapped.getFirst(), mapped, concrete));
            }
            var predicates = new LinkedHashMap<String, TypePredicate>();
            for (var predicate : declared.asDocument().entrySet()) {
                if (!predicate.getValue().isString()) {
                    throw new InvalidApp("error parsing $typeResolver predicate: the one for " + predicate.getKey()
                            + " of " + what + " must be a String");
                }
                predicates.put(
                        predicate.getKey(),
                        TypePredicate.parse(predicate.getValue().asString().getValue()));
            }
            predicates.keySet().retainAll(concrete);
            resolvers.put(type.getName(), predicates);
        }

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
                return schema.transform(builder -> builder.codeRegistry(codes.build()));
            } catch (GraphQLException e) {
                throw new InvalidApp("Invalid GraphQL schema: "
                        + Mistakes.inSchema(e, registry.types().keySet()));
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

        private void addFetchers(GraphQLObjectType type, GraphQLCodeRegistry.Builder codes) {
            for (var field : type.getFieldDefinitions()) {
                var name = type.getName() + "." + field.getName();
                var shape = FieldShape.of(field.getType(), limits.strictScalars());
                var mapping = fields.get(name);
                boolean hasNoValue = switch (type.getName()) {
                    case QUERY -> mapping == null;
                    case MUTATION -> true;
                    case SUBSCRIPTION -> !(mapping instanceof FieldMapping.Stream);
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
    }
}
