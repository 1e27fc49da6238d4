package org.restheart.graphql.app;

import graphql.schema.GraphQLArgument;
import graphql.schema.GraphQLFieldDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.http.Nearest;
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
        DocumentReads collections,
        Set<String> warnings) {
    private static final Set<String> ROOTS = Set.of("Query", "Mutation", "Subscription");

    /// @param written the mapping in the definition
    void find(BsonValue written) {
        if (written.isString() && place.startsWith("Query.")) {
            warnings.add("mapped to a path where there is no parent document, so null: " + place);
        }
        if (!(written instanceof BsonDocument query)) {
            return;
        }
        arguments(query);
        if (query.get("stages") instanceof BsonArray array) {
            var stages = stages(array);
            var wrong = Aggregation.wrongStage(stages);
            wrong.ifPresent(text -> has("the " + text));
            if (wrong.isEmpty()) {
                NamedOperators.unknown(walk -> walk.pipeline(stages, Location.of("stages")), Misspellings::operator)
                        .forEach(this::unknown);
            }
            if (mapping instanceof FieldMapping.Pipeline pipeline) {
                collections.refusal(pipeline.source().namespace(), stages).ifPresent(this::fails);
            }
        } else if (query.get("find") instanceof BsonDocument filter) {
            NamedOperators.unknown(walk -> walk.filter(filter, Location.of("find")), Misspellings::operator)
                    .forEach(this::unknown);
            if (mapping instanceof FieldMapping.Find find) {
                collections.refusal(find.source().namespace(), filter).ifPresent(this::fails);
            }
        }
    }

    /// An operator that MongoDB does not have and that resembles one that it has, or a variable.
    private void unknown(NamedOperators.Unknown found) {
        if (found.meant().isPresent()) {
            has(found.toString());
        }
    }

    private void has(String what) {
        warnings.add("the mapping for " + place + " has " + what);
    }

    private void fails(String reason) {
        warnings.add("the mapping for " + place + " will fail: " + reason);
    }

    /// Looks for variables that are neither an argument nor one of the server's.
    private void arguments(BsonValue value) {
        switch (value) {
            case BsonDocument document ->
                document.forEach((key, operand) -> {
                    if (key.equals("$fk") && place.startsWith("Query.")) {
                        warnings.add("$fk in the mapping for " + place + " is null: there is no parent document");
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
        var name = path.split("\\.", 2)[0];
        var known = field.getArguments().stream().map(GraphQLArgument::getName).collect(Collectors.toSet());
        known.add("@user");
        if (!ROOTS.contains(place.substring(0, place.indexOf('.')))) {
            known.add("rootDoc");
        }
        if (!known.contains(name)) {
            warnings.add(key + " in the mapping for " + place + " names " + name + ", which is no argument"
                    + Nearest.question(name, known));
        }
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
