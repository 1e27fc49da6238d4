package org.restheart.graphql.app;

import graphql.schema.GraphQLArgument;
import graphql.schema.GraphQLFieldDefinition;
import graphql.schema.GraphQLInputObjectField;
import graphql.schema.GraphQLInputObjectType;
import graphql.schema.GraphQLType;
import graphql.schema.GraphQLTypeUtil;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.http.Nearest;
import org.restheart.http.ProblemException;
import org.restheart.http.ShortText;
import org.restheart.mongo.aggregation.Aggregation;
import org.restheart.mongo.reading.DocumentReads;

/// Finds what the mapping of one field says without effect, or what will fail whatever the caller sends. Confined to
/// one thread.
///
/// @param place `Type.field`
/// @param mapping as it was read; null if it could not be
/// @param warnings receives what is found
record MappingWarnings(
        String place,
        GraphQLFieldDefinition field,
        @Nullable FieldMapping mapping,
        Apps.Limits limits,
        DocumentReads collections,
        Set<String> warnings) {
    private static final Set<String> ROOTS = Set.of("Query", "Mutation", "Subscription");

    /// These names may stand in filters, variables of mappings included.
    private static final Set<String> OPERATORS = names(Place.QUERY);

    /// These names may stand within stages, of which some contain others.
    private static final Set<String> WITHIN_STAGES = names(Place.QUERY, Place.EXPRESSION, Place.STAGE);

    private static final int MAX_QUOTED = 100;

    private static final List<String> VARIABLES = List.of("$arg", "$fk");

    /// The operand of these operators is a name or a value, in which no operators are looked for.
    private static final Set<String> QUOTING = Set.of("$arg", "$fk", "$literal");

    private static final MappingVariables NOTHING_BOUND =
            new MappingVariables(Map.of(), new BsonDocument(), null, null);

    private static Set<String> names(Place... places) {
        return Stream.of(places)
                .flatMap(place -> place.known().stream())
                .filter(name -> Misspellings.operator(name).isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    /// @param written the mapping in the definition
    void find(BsonValue written) {
        if (written.isString() && place.startsWith("Query.")) {
            warnings.add("mapped to a path where there is no parent document, so null: " + place);
        }
        if (written.isString()) {
            path(written.asString().getValue(), "the mapping for " + place);
        }
        if (written instanceof BsonDocument query) {
            arguments(query);
            if (query.get("stages") instanceof BsonArray stages) {
                stages(stages(stages));
            } else {
                operators(query.get("find"), true);
                query(query);
            }
        }
    }

    private void stages(List<BsonDocument> stages) {
        var has = "the mapping for " + place + " has ";
        Aggregation.unknownStage(stages).ifPresent(text -> warnings.add(has + "the " + text));
        for (var stage : stages) {
            stage.forEach((name, operand) -> operators(operand, name.equals("$match")));
            if (stage.size() != 1) {
                warnings.add(has + "a stage with " + stage.size() + " keys, which must be one: " + stage.keySet());
            } else if (!stage.getFirstKey().startsWith("$")) {
                warnings.add(has + "the unknown stage " + stage.getFirstKey() + "; did you mean $" + stage.getFirstKey()
                        + "?");
            } else {
                Misspellings.operator(stage.getFirstKey())
                        .ifPresent(meant -> warnings.add(
                                has + "the unknown stage " + stage.getFirstKey() + "; did you mean " + meant + "?"));
            }
        }
        if (mapping instanceof FieldMapping.Pipeline pipeline) {
            collections.refusal(pipeline.source().namespace(), stages).ifPresent(this::fails);
        }
    }

    private void fails(String reason) {
        warnings.add("the mapping for " + place + " will fail: " + reason);
    }

    /// Looks for operators that MongoDB does not have and that resemble one that it has, or a variable.
    private void operators(@Nullable BsonValue value, boolean isFilter) {
        switch (value) {
            case BsonDocument document ->
                document.forEach((key, operand) -> {
                    var known = isFilter ? OPERATORS : WITHIN_STAGES;
                    if (key.equals("$ifarg") && isFilter) {
                        warnings.add("$ifarg in the mapping for " + place + " is not in stages, where it would choose");
                    } else if (key.startsWith("$") && !known.contains(key)) {
                        Misspellings.operator(key)
                                .or(() -> Nearest.to(key, known))
                                .ifPresent(near -> warnings.add("the mapping for " + place
                                        + " has the unknown operator " + key + "; did you mean " + near + "?"));
                    }
                    if (!QUOTING.contains(key)) {
                        operators(operand, key.equals("$match") || (isFilter && !key.equals("$expr")));
                    }
                });
            case BsonArray array -> array.forEach(element -> operators(element, isFilter));
            case BsonString text ->
                VARIABLES.stream()
                        .filter(name ->
                                text.getValue().equals(name) || text.getValue().startsWith(name + "."))
                        .forEach(name -> warnings.add("the mapping for " + place + " has the text "
                                + ShortText.of(text.getValue(), MAX_QUOTED)
                                + ", which is no variable: that is an object with the key " + name));
            case null, default -> {}
        }
    }

    /// Looks for what MongoDB or the server will refuse, whatever the caller sends.
    private void query(BsonDocument written) {
        if (!(mapping instanceof FieldMapping.Find find)) {
            return;
        }
        collections
                .refusal(find.source().namespace(), written.getDocument("find", new BsonDocument()))
                .ifPresent(this::fails);
        number("skip", written.get("skip"), () -> find.offset(NOTHING_BOUND));
        number("limit", written.get("limit"), () -> find.size(NOTHING_BOUND, 1, limits.maxLimit()));
        written.getDocument("sort", new BsonDocument()).forEach((key, order) -> {
            boolean isOrder = order.isNumber() && Math.abs(order.asNumber().doubleValue()) == 1;
            if (!isOrder && !order.isDocument() && !VARIABLES.contains(key)) {
                fails("the order of " + key + " in 'sort' must be 1 or -1");
            }
        });
    }

    /// Tries a number with the defaults of its variables.
    private void number(String key, @Nullable BsonValue number, Runnable evaluation) {
        if (number instanceof BsonDocument document && Collections.disjoint(document.keySet(), VARIABLES)) {
            fails("'" + key + "' must be an integer, $arg or $fk"
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
            if (number != null && !reason.endsWith(TemplateVariables.NOT_BOUND)) {
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
    private void arguments(BsonValue value) {
        switch (value) {
            case BsonDocument document ->
                document.forEach((key, operand) -> {
                    if (key.equals("$fk") && place.startsWith("Query.")) {
                        warnings.add("$fk in the mapping for " + place + " is null: there is no parent document");
                    } else if (key.equals("$fk") && operand.isString()) {
                        path(operand.asString().getValue(), "$fk in the mapping for " + place);
                    }
                    if (key.equals("$arg") || key.equals("$ifarg")) {
                        variables(operand).forEach(name -> variable(key, name));
                    }
                    arguments(operand);
                });
            case BsonArray array -> array.forEach(element -> arguments(element));
            default -> {}
        }
    }

    private void variable(String key, String path) {
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
}
