package org.restheart.mongo.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// What stages of a pipeline read of another collection, as a pipeline of that, with an example in place of each value
/// of the documents that are joined. It has the plan that MongoDB makes for them.
record InnerPipeline(String collection, List<BsonDocument> stages) {
    private static final BsonDocument EXAMPLE = new BsonDocument("$literal", new BsonString(""));

    /// Those of stages; theirs are found in the same way.
    static List<InnerPipeline> of(List<BsonDocument> stages) {
        var found = new ArrayList<InnerPipeline>();
        for (var stage : stages) {
            stage.forEach((name, options) -> {
                switch (name) {
                    case "$lookup" -> add(options, "from", "foreignField", found);
                    case "$graphLookup" -> add(options, "from", "connectToField", found);
                    case "$unionWith" -> {
                        if (options instanceof BsonString collection) {
                            found.add(new InnerPipeline(collection.getValue(), List.of()));
                        } else {
                            add(options, "coll", "", found);
                        }
                    }
                    case "$facet" -> {
                        if (options instanceof BsonDocument facets) {
                            facets.values().forEach(facet -> found.addAll(of(list(facet))));
                        }
                    }
                    default -> {}
                }
            });
        }
        return found;
    }

    /// @param collection the option with its name, without which there is none
    /// @param field the option with the field that is compared, if any is
    private static void add(BsonValue stage, String collection, String field, List<InnerPipeline> found) {
        if (stage instanceof BsonDocument options && options.get(collection) instanceof BsonString name) {
            var stages = new ArrayList<BsonDocument>();
            if (options.get(field) instanceof BsonString compared) {
                var example = new BsonDocument("$eq", new BsonString(""));
                stages.add(new BsonDocument("$match", new BsonDocument(compared.getValue(), example)));
            }
            if (options.get("restrictSearchWithMatch") instanceof BsonDocument filter) {
                stages.add(new BsonDocument("$match", filter));
            }
            var variables = options.get("let") instanceof BsonDocument let ? let.keySet() : Set.<String>of();
            list(options.get("pipeline"))
                    .forEach(inner -> stages.add(withExamples(inner, variables).asDocument()));
            found.add(new InnerPipeline(name.getValue(), stages));
        }
    }

    private static List<BsonDocument> list(@Nullable BsonValue pipeline) {
        return pipeline instanceof BsonArray stages
                ? stages.stream()
                        .filter(BsonValue::isDocument)
                        .map(BsonValue::asDocument)
                        .toList()
                : List.of();
    }

    private static BsonValue withExamples(BsonValue value, Set<String> variables) {
        return switch (value) {
            case BsonDocument document -> {
                var copy = new BsonDocument();
                document.forEach((name, inner) -> copy.append(name, withExamples(inner, variables)));
                yield copy;
            }
            case BsonArray array ->
                new BsonArray(array.stream()
                        .map(inner -> withExamples(inner, variables))
                        .toList());
            case BsonString text
            when text.getValue().startsWith("$$")
                    && variables.contains(text.getValue().substring(2).split("\\.", 2)[0]) -> EXAMPLE;
            default -> value;
        };
    }
}
