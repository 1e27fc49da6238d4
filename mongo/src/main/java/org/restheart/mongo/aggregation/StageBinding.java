package org.restheart.mongo.aggregation;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.ExpressionBinding;
import org.restheart.bson.fields.FilterBinding;
import org.restheart.bson.fields.Variables;

/// Substitutes values in the stages of a pipeline according to their position: as literals in filters and expressions;
/// elsewhere values that would be interpreted are refused. Immutable.
public final class StageBinding {
    private final Variables variables;
    private final FilterBinding filters;
    private final ExpressionBinding expressions;

    public StageBinding(Variables variables) {
        this.variables = variables;
        this.filters = new FilterBinding(variables);
        this.expressions = new ExpressionBinding(variables);
    }

    /// @throws org.restheart.bson.fields.UnusableVariableException for a value that would be interpreted
    public BsonDocument stage(BsonDocument stage) {
        var bound = new BsonDocument(stage.size());
        stage.forEach((name, operand) -> bound.append(name, operand(name, operand)));
        return bound;
    }

    private BsonValue operand(String stage, BsonValue operand) {
        return switch (stage) {
            case "$match" -> filter(operand);
            case "$project", "$addFields", "$set" -> expressions.bindFields(operand);
            case "$group",
                    "$bucket",
                    "$bucketAuto",
                    "$setWindowFields",
                    "$fill",
                    "$sortByCount",
                    "$redact",
                    "$replaceRoot",
                    "$replaceWith" -> expressions.bind(operand);
            default ->
                operand instanceof BsonDocument options && variables.of(operand) == null
                        ? options(stage, options)
                        : data(operand);
        };
    }

    private BsonDocument options(String stage, BsonDocument options) {
        var bound = new BsonDocument(options.size());
        options.forEach((name, value) -> bound.append(name, option(stage, name, value)));
        return bound;
    }

    private BsonValue option(String stage, String name, BsonValue value) {
        return switch (stage + "." + name) {
            case "$geoNear.query", "$graphLookup.restrictSearchWithMatch", "$vectorSearch.filter" -> filter(value);
            case "$lookup.let", "$merge.let", "$graphLookup.startWith" -> expressions.bind(value);
            case "$lookup.pipeline", "$unionWith.pipeline", "$merge.whenMatched" -> pipeline(value);
            default ->
                switch (stage) {
                    case "$facet" -> pipeline(value);
                    case "$search", "$searchMeta", "$vectorSearch" -> expressions.bindData(value, true);
                    default -> data(value);
                };
        };
    }

    private BsonValue filter(BsonValue filter) {
        return filters.bind(filter);
    }

    private BsonValue pipeline(BsonValue value) {
        if (!(value instanceof BsonArray stages)) {
            return data(value);
        }
        var bound = new BsonArray(stages.size());
        stages.forEach(stage -> bound.add(stage instanceof BsonDocument document ? stage(document) : data(stage)));
        return bound;
    }

    private BsonValue data(BsonValue value) {
        return expressions.bindData(value, false);
    }
}
