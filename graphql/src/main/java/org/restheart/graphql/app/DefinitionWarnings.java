package org.restheart.graphql.app;

import graphql.schema.GraphQLEnumType;
import graphql.schema.GraphQLEnumValueDefinition;
import graphql.schema.GraphQLFieldDefinition;
import graphql.schema.GraphQLInterfaceType;
import graphql.schema.GraphQLNamedType;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLSchema;
import graphql.schema.GraphQLUnionType;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.restheart.http.Nearest;
import org.restheart.mongo.reading.DocumentReads;

/// Finds what a valid definition says without effect, or what will fail: mostly misspelt names. Confined to one
/// thread.
final class DefinitionWarnings {
    private final GraphQLSchema schema;
    private final Map<String, FieldMapping> fields;
    private final DocumentReads collections;
    private final Set<String> warnings = new TreeSet<>();

    private DefinitionWarnings(GraphQLSchema schema, Map<String, FieldMapping> fields, DocumentReads collections) {
        this.schema = schema;
        this.fields = fields;
        this.collections = collections;
    }

    /// @param definition that is valid
    /// @param fields mappings by `Type.field`
    static List<String> of(
            BsonDocument definition,
            GraphQLSchema schema,
            Map<String, FieldMapping> fields,
            DocumentReads collections) {
        var found = new DefinitionWarnings(schema, fields, collections);
        found.warnings.addAll(DefinitionKeys.warnings(definition, fields.keySet()));
        definition.getDocument("mappings").forEach((type, mapping) -> found.type(type, mapping.asDocument()));
        found.unmapped();
        found.missing();
        return List.copyOf(found.warnings);
    }

    private void type(String name, BsonDocument mapping) {
        switch (schema.getType(name)) {
            case GraphQLObjectType object -> object(object, mapping);
            case GraphQLEnumType anEnum ->
                names(
                        name,
                        mapping.keySet(),
                        anEnum.getValues().stream()
                                .map(GraphQLEnumValueDefinition::getName)
                                .collect(Collectors.toSet()));
            case GraphQLInterfaceType type ->
                resolver(name, mapping, Objects.requireNonNullElse(schema.getImplementations(type), List.of()));
            case GraphQLUnionType type -> resolver(name, mapping, type.getTypes());
            case null, default -> {
                var types = schema.getAllTypesAsList().stream()
                        .filter(type -> type instanceof GraphQLObjectType || type instanceof GraphQLEnumType)
                        .map(GraphQLNamedType::getName)
                        .filter(type -> !type.startsWith("__"))
                        .toList();
                warnings.add("the schema does not have what is mapped: "
                        + String.join(
                                ", ",
                                mapping.isEmpty()
                                        ? List.of(name)
                                        : mapping.keySet().stream()
                                                .map(field -> name + "." + field)
                                                .toList())
                        + Nearest.question(name, types));
            }
        }
    }

    private void names(String type, Set<String> mapped, Set<String> known) {
        for (var name : mapped) {
            if (!known.contains(name)) {
                warnings.add("the schema does not have what is mapped: " + type + "." + name
                        + Nearest.question(name, known));
            }
        }
    }

    private void resolver(String name, BsonDocument mapping, List<? extends GraphQLNamedType> members) {
        names(name, mapping.keySet(), Set.of("$typeResolver"));
        var known = members.stream().map(GraphQLNamedType::getName).toList();
        for (var concrete :
                mapping.getDocument("$typeResolver", new BsonDocument()).keySet()) {
            if (!known.contains(concrete)) {
                warnings.add("$typeResolver for " + name + " names " + concrete + ", which is none of its types"
                        + Nearest.question(concrete, known));
            }
        }
    }

    private void object(GraphQLObjectType type, BsonDocument mapping) {
        names(
                type.getName(),
                mapping.keySet(),
                type.getFieldDefinitions().stream()
                        .map(GraphQLFieldDefinition::getName)
                        .collect(Collectors.toSet()));
        mapping.forEach((name, value) -> {
            var field = type.getFieldDefinition(name);
            if (field != null) {
                var place = type.getName() + "." + name;
                new MappingWarnings(place, field, fields.get(place), collections, warnings).find(value);
            }
        });
    }

    /// Looks for collections that do not exist: MongoDB finds nothing in them, without an error. And for streams that
    /// are not declared: subscribers would be refused.
    private void missing() {
        fields.forEach((place, mapping) -> {
            var namespace = switch (mapping) {
                case FieldMapping.Find find -> find.source().namespace();
                case FieldMapping.Pipeline pipeline -> pipeline.source().namespace();
                case FieldMapping.Stream stream -> stream.namespace();
                case FieldMapping.Path _ -> null;
            };
            if (namespace != null && !collections.exists(namespace)) {
                warnings.add(
                        "the mapping for " + place + " names the collection " + namespace + ", which does not exist");
            } else if (mapping instanceof FieldMapping.Stream stream) {
                var declared = collections.streams(stream.namespace());
                if (!declared.contains(stream.uri())) {
                    warnings.add("the mapping for " + place + " names the stream " + stream.uri() + ", which "
                            + stream.namespace() + " does not declare" + Nearest.question(stream.uri(), declared));
                }
            }
        });
    }

    private void unmapped() {
        if (schema.getType("Query") instanceof GraphQLObjectType query) {
            query.getFieldDefinitions().stream()
                    .map(field -> "Query." + field.getName())
                    .filter(name -> !fields.containsKey(name))
                    .forEach(this::isNull);
        }
        if (schema.getType("Mutation") != null) {
            isNull("Mutation");
        }
        if (schema.getType("Subscription") instanceof GraphQLObjectType subscription) {
            subscription.getFieldDefinitions().stream()
                    .map(field -> "Subscription." + field.getName())
                    .filter(name -> !(fields.get(name) instanceof FieldMapping.Stream))
                    .forEach(name -> {
                        if (fields.containsKey(name)) {
                            warnings.add("not mapped to a stream, so null: " + name);
                        } else {
                            isNull(name);
                        }
                    });
        }
    }

    private void isNull(String name) {
        warnings.add("without mapping, so null: " + name);
    }
}
