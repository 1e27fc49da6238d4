package org.restheart.graphql.app;

import graphql.schema.GraphQLArgument;
import graphql.schema.GraphQLEnumType;
import graphql.schema.GraphQLEnumValueDefinition;
import graphql.schema.GraphQLFieldDefinition;
import graphql.schema.GraphQLInterfaceType;
import graphql.schema.GraphQLNamedType;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLSchema;
import graphql.schema.GraphQLUnionType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Nearest;
import org.restheart.mongo.aggregation.Aggregation;

/// Finds what a valid definition says without effect, or what will fail: mostly misspelt names. Confined to one
/// thread.
final class DefinitionWarnings {
    private static final Set<String> ROOTS = Set.of("Query", "Mutation", "Subscription");

    /// Of filters, with shapes of places and fields of references (DBRef), and the variables. MongoDB may have others.
    private static final Set<String> OPERATORS = Set.of("""
            $eq $ne $gt $gte $lt $lte $in $nin $and $or $nor $not $exists $type $expr $jsonSchema $mod $regex
            $options $text $search $language $caseSensitive $diacriticSensitive $where $all $bitsAllClear
            $bitsAllSet $bitsAnyClear $bitsAnySet $elemMatch $size $comment $near $nearSphere $geoWithin
            $geoIntersects $geometry $box $center $centerSphere $polygon $maxDistance $minDistance $ref $id $db
            $arg $fk""".split("\\s+"));

    private final GraphQLSchema schema;
    private final Map<String, FieldMapping> fields;
    private final Apps.Collections collections;
    private final Set<String> warnings = new TreeSet<>();

    private DefinitionWarnings(GraphQLSchema schema, Map<String, FieldMapping> fields, Apps.Collections collections) {
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
            Apps.Collections collections) {
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
            case GraphQLInterfaceType _, GraphQLUnionType _ -> names(name, mapping.keySet(), Set.of("$typeResolver"));
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

    private void object(GraphQLObjectType type, BsonDocument mapping) {
        names(
                type.getName(),
                mapping.keySet(),
                type.getFieldDefinitions().stream()
                        .map(GraphQLFieldDefinition::getName)
                        .collect(Collectors.toSet()));
        mapping.forEach((name, value) -> {
            var field = type.getFieldDefinition(name);
            var place = type.getName() + "." + name;
            if (field != null && value.isString() && type.getName().equals("Query")) {
                warnings.add("mapped to a path where there is no parent document, so null: " + place);
            }
            if (field != null && value instanceof BsonDocument query) {
                var known = field.getArguments().stream()
                        .map(GraphQLArgument::getName)
                        .collect(Collectors.toSet());
                if (!ROOTS.contains(type.getName())) {
                    known.add("rootDoc");
                }
                arguments(query, place, known);
                if (query.get("stages") instanceof BsonArray stages) {
                    stages(stages(stages), place);
                } else {
                    operators(query.get("find"), place);
                    if (fields.get(place) instanceof FieldMapping.Find find) {
                        refusal(find.source(), List.of(), place);
                    }
                }
            }
        });
    }

    private void stages(List<BsonDocument> stages, String place) {
        var mapping = "the mapping for " + place + " has ";
        Aggregation.unknownStage(stages).ifPresent(text -> warnings.add(mapping + "the " + text));
        for (var stage : stages) {
            if (stage.size() != 1) {
                warnings.add(mapping + "a stage with " + stage.size() + " keys, which must be one: " + stage.keySet());
            } else if (!stage.getFirstKey().startsWith("$")) {
                warnings.add(mapping + "the unknown stage " + stage.getFirstKey() + "; did you mean $"
                        + stage.getFirstKey() + "?");
            } else {
                Mistakes.operator(stage.getFirstKey())
                        .ifPresent(meant -> warnings.add(mapping + "the unknown stage " + stage.getFirstKey()
                                + "; did you mean " + meant + "?"));
            }
        }
        if (fields.get(place) instanceof FieldMapping.Pipeline pipeline) {
            refusal(pipeline.source(), stages, place);
        }
    }

    private void refusal(FieldMapping.Source source, List<BsonDocument> stages, String place) {
        collections
                .refusal(source.namespace(), stages)
                .ifPresent(refusal -> warnings.add("the mapping for " + place + " will fail: " + refusal));
    }

    /// Looks for operators of a filter that are misspelt variables.
    private void operators(@Nullable BsonValue value, String place) {
        switch (value) {
            case BsonDocument document ->
                document.forEach((key, operand) -> {
                    boolean isVariable = key.equals("$arg") || key.equals("$fk");
                    if (key.equals("$ifarg")) {
                        warnings.add("$ifarg in the mapping for " + place + " is not in stages, where it would choose");
                    } else if (!isVariable && key.startsWith("$") && !OPERATORS.contains(key)) {
                        Mistakes.operator(key)
                                .or(() -> Nearest.to(key, OPERATORS))
                                .ifPresent(near -> warnings.add("the mapping for " + place
                                        + " has the unknown operator " + key + "; did you mean " + near + "?"));
                    }
                    if (!isVariable && !key.equals("$expr")) {
                        operators(operand, place);
                    }
                });
            case BsonArray array -> array.forEach(element -> operators(element, place));
            case null, default -> {}
        }
    }

    /// Looks for variables that are neither an argument nor one of the server's.
    private void arguments(BsonValue value, String place, Set<String> known) {
        switch (value) {
            case BsonDocument document ->
                document.forEach((key, operand) -> {
                    if (key.equals("$fk") && place.startsWith("Query.")) {
                        warnings.add("$fk in the mapping for " + place + " is null: there is no parent document");
                    }
                    if (key.equals("$arg") || key.equals("$ifarg")) {
                        variables(operand).filter(name -> !known.contains(name)).forEach(name -> {
                            warnings.add(key + " in the mapping for " + place + " names " + name
                                    + ", which is no argument" + Nearest.question(name, known));
                        });
                    }
                    arguments(operand, place, known);
                });
            case BsonArray array -> array.forEach(element -> arguments(element, place, known));
            default -> {}
        }
    }

    /// The names of a variable or of several, without paths into their values, and without `@user`.
    private static Stream<String> variables(BsonValue operand) {
        var first = operand instanceof BsonArray parts && !parts.isEmpty() ? parts.getFirst() : operand;
        var names = first instanceof BsonArray several ? several : new BsonArray(List.of(first));
        return names.stream()
                .filter(BsonString.class::isInstance)
                .map(name -> name.asString().getValue())
                .filter(name -> !name.startsWith("@"))
                .map(name -> name.contains(".") ? name.substring(0, name.indexOf('.')) : name);
    }

    /// The stages, and those that depend on variables.
    private static List<BsonDocument> stages(BsonArray stages) {
        var all = new ArrayList<BsonDocument>();
        for (var stage : stages) {
            if (stage instanceof BsonDocument document) {
                if (document.get("$ifarg") instanceof BsonArray conditional) {
                    all.addAll(stages(conditional));
                } else {
                    all.add(document);
                }
            }
        }
        return all;
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
