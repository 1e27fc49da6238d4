package org.restheart.graphql.app;

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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

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

    /// Whether the name is that of a directive that is not supported. An app may declare its own one of the same name.
    public static boolean isUnsupported(GraphQLSchema schema, String name) {
        return ADDED.stream().anyMatch(directive -> directive.getName().equals(name))
                && ADDED.contains(schema.getDirective(name));
    }

    static List<GraphQLDirective> directives(GraphQLSchema schema) {
        return schema.getDirectives().stream()
                .filter(directive -> !ADDED.contains(directive))
                .toList();
    }
}
