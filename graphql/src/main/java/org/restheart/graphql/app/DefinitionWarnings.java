package org.restheart.graphql.app;

import graphql.schema.GraphQLArgument;
import graphql.schema.GraphQLEnumType;
import graphql.schema.GraphQLEnumValueDefinition;
import graphql.schema.GraphQLFieldDefinition;
import graphql.schema.GraphQLInputObjectField;
import graphql.schema.GraphQLInputObjectType;
import graphql.schema.GraphQLInterfaceType;
import graphql.schema.GraphQLNamedType;
import graphql.schema.GraphQLObjectType;
import graphql.schema.GraphQLSchema;
import graphql.schema.GraphQLType;
import graphql.schema.GraphQLTypeUtil;
import graphql.schema.GraphQLUnionType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.ExpressionOperators;
import org.restheart.http.Nearest;
import org.restheart.http.ProblemException;
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

    /// Of stages: those of expressions, those that stand in them, and the stages, of which some contain others.
    private static final Set<String> WITHIN_STAGES = Stream.of(
                    ExpressionOperators.pure().stream(),
                    OPERATORS.stream(),
                    Aggregation.stageNames().stream()
                            .filter(name -> Mistakes.operator(name).isEmpty()),
                    Stream.of("""
                            $accumulator $bottom $bottomN $function $getField $meta $setField $top $topN
                            $unsetField $ifarg""".split("\\s+")))
            .flatMap(names -> names)
            .collect(Collectors.toUnmodifiableSet());

    private static final List<String> VARIABLES = List.of("$arg", "$fk");

    /// What stands in them is a name, or a value.
    private static final Set<String> QUOTING = Set.of("$arg", "$fk", "$literal");

    private static final MappingVariables NOTHING_BOUND =
            new MappingVariables(Map.of(), new BsonDocument(), null, null);

    private final GraphQLSchema schema;
    private final Map<String, FieldMapping> fields;
    private final Apps.Limits limits;
    private final Apps.Collections collections;
    private final Set<String> warnings = new TreeSet<>();

    private DefinitionWarnings(
            GraphQLSchema schema, Map<String, FieldMapping> fields, Apps.Limits limits, Apps.Collections collections) {
        this.schema = schema;
        this.fields = fields;
        this.limits = limits;
        this.collections = collections;
    }

    /// @param definition that is valid
    /// @param fields mappings by `Type.field`
    static List<String> of(
            BsonDocument definition,
            GraphQLSchema schema,
            Map<String, FieldMapping> fields,
            Apps.Limits limits,
            Apps.Collections collections) {
        var found = new DefinitionWarnings(schema, fields, limits, collections);
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
            var place = type.getName() + "." + name;
            if (field != null && value.isString() && type.getName().equals("Query")) {
                warnings.add("mapped to a path where there is no parent document, so null: " + place);
            }
            if (field != null && value.isString()) {
                path(value.asString().getValue(), "the mapping for " + place);
            }
            if (field != null && value instanceof BsonDocument query) {
                arguments(query, place, field);
                if (query.get("stages") instanceof BsonArray stages) {
                    stages(stages(stages), place);
                } else {
                    operators(query.get("find"), place, true);
                    query(query, place);
                }
            }
        });
    }

    private void stages(List<BsonDocument> stages, String place) {
        var mapping = "the mapping for " + place + " has ";
        Aggregation.unknownStage(stages).ifPresent(text -> warnings.add(mapping + "the " + text));
        for (var stage : stages) {
            stage.forEach((name, operand) -> operators(operand, place, name.equals("$match")));
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
            collections.refusal(pipeline.source().namespace(), stages).ifPresent(refusal -> fails(place, refusal));
        }
    }

    private void fails(String place, String reason) {
        warnings.add("the mapping for " + place + " will fail: " + reason);
    }

    /// Looks for operators that MongoDB does not know and that are near to one that it knows, or to a variable.
    private void operators(@Nullable BsonValue value, String place, boolean isFilter) {
        switch (value) {
            case BsonDocument document ->
                document.forEach((key, operand) -> {
                    var known = isFilter ? OPERATORS : WITHIN_STAGES;
                    if (key.equals("$ifarg") && isFilter) {
                        warnings.add("$ifarg in the mapping for " + place + " is not in stages, where it would choose");
                    } else if (key.startsWith("$") && !known.contains(key)) {
                        Mistakes.operator(key)
                                .or(() -> Nearest.to(key, known))
                                .ifPresent(near -> warnings.add("the mapping for " + place
                                        + " has the unknown operator " + key + "; did you mean " + near + "?"));
                    }
                    if (!QUOTING.contains(key)) {
                        operators(operand, place, key.equals("$match") || (isFilter && !key.equals("$expr")));
                    }
                });
            case BsonArray array -> array.forEach(element -> operators(element, place, isFilter));
            case null, default -> {}
        }
    }

    /// Looks for what MongoDB or the server will refuse, whatever the caller sends.
    private void query(BsonDocument mapping, String place) {
        if (!(fields.get(place) instanceof FieldMapping.Find find)) {
            return;
        }
        collections
                .refusal(find.source().namespace(), mapping.getDocument("find", new BsonDocument()))
                .ifPresent(refusal -> fails(place, refusal));
        number(place, "skip", mapping.get("skip"), () -> find.offset(NOTHING_BOUND));
        number(place, "limit", mapping.get("limit"), () -> find.size(NOTHING_BOUND, 1, limits.maxLimit()));
        mapping.getDocument("sort", new BsonDocument()).forEach((key, order) -> {
            boolean isOrder = order.isNumber() && Math.abs(order.asNumber().doubleValue()) == 1;
            if (!isOrder && !order.isDocument() && !VARIABLES.contains(key)) {
                warnings.add(
                        "the mapping for " + place + " will fail: the order of " + key + " in 'sort' must be 1 or -1");
            }
        });
    }

    /// Tries a number with the defaults of its variables.
    private void number(String place, String key, @Nullable BsonValue number, Runnable evaluation) {
        if (number instanceof BsonDocument document && Collections.disjoint(document.keySet(), VARIABLES)) {
            warnings.add("the mapping for " + place + " will fail: '" + key + "' must be an integer, $arg or $fk"
                    + document.keySet().stream()
                            .findFirst()
                            .map(name -> Nearest.question(name, VARIABLES))
                            .orElse(""));
            return;
        }
        try {
            evaluation.run();
        } catch (ProblemException e) {
            var reason = e.problem().message();
            if (number != null && !reason.endsWith(VariablePlaces.NOT_BOUND)) {
                warnings.add("the mapping for " + place + " will fail"
                        + (number.isDocument() ? " without the argument that '" + key + "' names" : "") + ": "
                        + reason);
            }
        }
    }

    private void path(String path, String where) {
        if (path.startsWith("$")) {
            warnings.add(where + " has the path " + path + ", which would be a field of that name; did you mean "
                    + path.substring(1) + "?");
        }
    }

    /// Looks for variables that are neither an argument nor one of the server's.
    private void arguments(BsonValue value, String place, GraphQLFieldDefinition field) {
        switch (value) {
            case BsonDocument document ->
                document.forEach((key, operand) -> {
                    if (key.equals("$fk") && place.startsWith("Query.")) {
                        warnings.add("$fk in the mapping for " + place + " is null: there is no parent document");
                    } else if (key.equals("$fk") && operand.isString()) {
                        path(operand.asString().getValue(), "$fk in the mapping for " + place);
                    }
                    if (key.equals("$arg") || key.equals("$ifarg")) {
                        variables(operand).forEach(name -> variable(key, name, place, field));
                    }
                    arguments(operand, place, field);
                });
            case BsonArray array -> array.forEach(element -> arguments(element, place, field));
            default -> {}
        }
    }

    private void variable(String key, String path, String place, GraphQLFieldDefinition field) {
        var steps = List.of(path.split("\\.", -1));
        var name = steps.getFirst();
        var known = field.getArguments().stream().map(GraphQLArgument::getName).collect(Collectors.toSet());
        known.add("@user");
        if (!ROOTS.contains(place.substring(0, place.indexOf('.')))) {
            known.add("rootDoc");
        }
        var argument = field.getArgument(name);
        if (!known.contains(name)) {
            warnings.add(key + " in the mapping for " + place + " names " + name + ", which is no argument"
                    + Nearest.question(name, known));
        } else if (argument != null) {
            input(argument.getType(), steps.subList(1, steps.size()))
                    .ifPresent(missing ->
                            warnings.add(key + " in the mapping for " + place + " names " + path + ", but " + missing));
        }
    }

    /// What is wrong with a path into a value of an argument; empty if nothing is, or if it depends on the value.
    private static Optional<String> input(GraphQLType type, List<String> path) {
        if (path.isEmpty() || !(GraphQLTypeUtil.unwrapNonNull(type) instanceof GraphQLInputObjectType object)) {
            return Optional.empty();
        }
        var field = object.getFieldDefinition(path.getFirst());
        if (field != null) {
            return input(field.getType(), path.subList(1, path.size()));
        }
        return Optional.of(object.getName() + " has no field " + path.getFirst()
                + Nearest.question(
                        path.getFirst(),
                        object.getFieldDefinitions().stream()
                                .map(GraphQLInputObjectField::getName)
                                .toList()));
    }

    /// The names of a variable or of several, with paths into their values.
    private static Stream<String> variables(BsonValue operand) {
        var first = operand instanceof BsonArray parts && !parts.isEmpty() ? parts.getFirst() : operand;
        var names = first instanceof BsonArray several ? several : new BsonArray(List.of(first));
        return names.stream()
                .filter(BsonString.class::isInstance)
                .map(name -> name.asString().getValue());
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
