package org.restheart.graphql.app;

import graphql.GraphQLException;
import graphql.language.ScalarTypeDefinition;
import graphql.language.TypeDefinition;
import graphql.schema.DataFetcher;
import graphql.schema.GraphQLSchema;
import graphql.schema.idl.SchemaParser;
import graphql.schema.idl.TypeDefinitionRegistry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.graphql.app.DefinitionWarnings.Misspellings;
import org.restheart.rest.reading.DocumentReads;

/// Compiles definitions to apps. Thread-safe.
public record Apps(Limits limits, Fetchers fetchers, DocumentReads collections) {
    static final List<String> STANDARD = List.of("Int", "Float", "String", "Boolean", "ID");
    static final String QUERY = "Query";
    static final String MUTATION = "Mutation";
    static final String SUBSCRIPTION = "Subscription";

    /// Creates the fetchers of fields that are mapped to queries.
    @FunctionalInterface
    public interface Fetchers {
        /// @param name `Type.field`
        DataFetcher<?> of(String name, FieldMapping mapping, FieldShape shape);
    }

    /// @param definition with unescaped keys
    /// @param uris its paths, which are those of the definition as it is stored
    /// @param strict whether to refuse unknown keys, of which [#warnings] tells otherwise
    /// @throws InvalidApp naming the location of the error
    public App compile(BsonDocument definition, AppUris uris, boolean strict) throws InvalidApp {
        checkDescriptor(definition, uris, strict);
        if (uris.own().isEmpty()) {
            throw new InvalidApp(
                    definition.isString("_id")
                            ? "the _id must be one segment of a path if there is no descriptor.uri: without slashes and"
                                    + " control characters"
                            : "the _id must be a String if there is no descriptor.uri");
        }
        var registry = registry(definition);
        var mappings = mappings(definition);
        var compiler = new AppCompiler(limits, fetchers, registry, mappings);
        if (lacksQuery(mappings)) {
            compiler.schema(); // of several mistakes the one about unions and interfaces is named
            throw new InvalidApp(
                    "Missing or empty mappings for type Query: please provide a mapping for at least one Query."
                            + Misspellings.misspelt(QUERY, mappings.keySet(), List.of(QUERY, MUTATION, SUBSCRIPTION)));
        }
        compiler.read();
        if (strict) {
            DefinitionKeys.check(definition, compiler.fields().keySet());
        }
        var schema = compiler.schema();
        return new App(uris, schema, Map.copyOf(compiler.fields()), documents(definition.get("documents")));
    }

    /// What a definition says without effect, or what will fail. May block for metadata.
    ///
    /// @param definition with unescaped keys
    public List<String> warnings(BsonDocument definition, App app) {
        return DefinitionWarnings.of(definition, app.schema(), app.fields(), collections);
    }

    private static void checkDescriptor(BsonDocument definition, AppUris uris, boolean strict) throws InvalidApp {
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
                        + Misspellings.misspelt(
                                QUERY, registry.types().keySet(), List.of(QUERY, MUTATION, SUBSCRIPTION)));
            }
            return registry;
        } catch (GraphQLException e) {
            throw new InvalidApp("Invalid GraphQL schema: " + Misspellings.inSchema(e, List.of()));
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
        requireObjects(mappings.asDocument());
        return mappings.asDocument();
    }

    private static boolean lacksQuery(BsonDocument mappings) {
        return mappings.getDocument(QUERY, new BsonDocument()).isEmpty();
    }

    private static void requireObjects(BsonDocument mappings) throws InvalidApp {
        for (var type : mappings.entrySet()) {
            if (!type.getValue().isDocument()) {
                throw new InvalidApp("Error with mappings of type: " + type.getKey() + ". It must be an Object but was "
                        + type.getValue().getBsonType());
            }
        }
    }

    /// Limits that the operator sets for all definitions.
    ///
    /// @param maxLimit of documents that a mapping queries
    /// @param onlyDatabase the only one that mappings may use, if they are restricted
    /// @param asCaller whether mappings read with the caller's rights by default
    /// @param allowOperators whether arguments may contain operators by default
    /// @param strictScalars refuse values that would have to be widened
    public record Limits(
            int maxLimit,
            Optional<String> onlyDatabase,
            boolean asCaller,
            boolean allowOperators,
            boolean strictScalars) {}

    /// An app that can be served. Immutable.
    ///
    /// @param uris its paths, without a leading slash
    /// @param fields mappings by `Type.field`, those of queries only
    /// @param documents queries that the definition holds, by their names
    public record App(
            AppUris uris, GraphQLSchema schema, Map<String, FieldMapping> fields, Map<String, String> documents) {}
}
