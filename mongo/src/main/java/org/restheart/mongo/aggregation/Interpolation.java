package org.restheart.mongo.aggregation;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.UNPROCESSABLE;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;

/// Fills variables into a pipeline: `{"$var": "name"}` and `{"$var": ["name", default]}` anywhere, and stages
/// that depend on variables, `{"$ifvar": ["name", stage, otherwise]}`. Values are put in as they are: what
/// looks like a variable in a value stays what it is. Immutable.
///
/// @param variable the operator for a value
/// @param condition the operator for a stage
public record Interpolation(String variable, String condition) {
    public static final Interpolation OF_AGGREGATIONS = new Interpolation("$var", "$ifvar");

    /// @throws ProblemException 400 for a variable without value and default, 422 for a malformed operator
    public List<BsonDocument> fill(List<BsonDocument> stages, Variables variables) {
        var filled = new ArrayList<BsonDocument>();
        for (var stage : stages) {
            choose(stage, variables).ifPresent(chosen -> filled.add(stage(chosen, variables)));
        }
        return filled;
    }

    /// The stage itself, one of the stages it stands for, or none.
    private Optional<BsonDocument> choose(BsonDocument stage, Variables variables) {
        var operand = stage.get(condition);
        if (operand == null) {
            return Optional.of(stage);
        }
        if (stage.size() != 1 || !operand.isArray()) {
            throw malformed(condition);
        }
        var parts = operand.asArray();
        if (parts.size() < 2 || parts.size() > 3 || parts.stream().skip(1).anyMatch(part -> !part.isDocument())) {
            throw malformed(condition);
        }
        if (allBound(parts.getFirst(), variables)) {
            return Optional.of(parts.get(1).asDocument());
        }
        return parts.size() == 3 ? Optional.of(parts.get(2).asDocument()) : Optional.empty();
    }

    private boolean allBound(BsonValue names, Variables variables) {
        var all = names.isArray() ? names.asArray() : new BsonArray(List.of(names));
        if (all.stream().anyMatch(name -> !name.isString())) {
            throw malformed(condition);
        }
        return all.stream()
                .allMatch(name -> variables.find(name.asString().getValue()).isPresent());
    }

    private BsonDocument stage(BsonDocument stage, Variables variables) {
        var filled = fill(stage, variables);
        if (!filled.isDocument()) {
            throw malformed(variable);
        }
        return filled.asDocument();
    }

    private BsonValue fill(BsonValue value, Variables variables) {
        return switch (value.getBsonType()) {
            case DOCUMENT -> {
                var document = value.asDocument();
                var operand = document.get(variable);
                if (operand != null) {
                    if (document.size() != 1) {
                        throw malformed(variable);
                    }
                    yield valueOf(operand, variables);
                }
                var filled = new BsonDocument();
                document.forEach((key, member) -> filled.append(key, fill(member, variables)));
                yield filled;
            }
            case ARRAY ->
                new BsonArray(value.asArray().stream()
                        .map(element -> fill(element, variables))
                        .toList());
            default -> value;
        };
    }

    /// @param operand a name, or a name and a default
    private BsonValue valueOf(BsonValue operand, Variables variables) {
        if (operand.isString()) {
            var name = operand.asString().getValue();
            return variables.find(name).orElseThrow(() -> unbound(name));
        }
        if (!operand.isArray()
                || operand.asArray().size() != 2
                || !operand.asArray().getFirst().isString()) {
            throw malformed(variable);
        }
        var nameAndDefault = operand.asArray();
        return variables.find(nameAndDefault.getFirst().asString().getValue()).orElseGet(nameAndDefault::getLast);
    }

    private static ProblemException unbound(String name) {
        return Problem.of(BAD_REQUEST, "cannot execute aggregation")
                .because("java.lang.IllegalArgumentException", "variable " + name + " not bound")
                .raise();
    }

    private static ProblemException malformed(String operator) {
        return Problem.of(UNPROCESSABLE, "invalid aggregation")
                .because("java.lang.IllegalArgumentException", "malformed " + operator)
                .raise();
    }
}
