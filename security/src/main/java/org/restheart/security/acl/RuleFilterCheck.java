package org.restheart.security.acl;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.Operators;
import org.restheart.data.Access;
import org.restheart.http.Nearest;
import org.restheart.security.predicate.PredicateParser;

/// Finds misspelt variables and operators in a permission's filters. MongoDB would refuse every request with such a
/// filter.
final class RuleFilterCheck {
    private static final Set<String> VARIABLES = Stream.concat(
                    PredicateParser.FILTER_VARIABLES.stream(), Stream.of("%USER", "%ROLES", "%NOW"))
            .collect(Collectors.toUnmodifiableSet());

    private RuleFilterCheck() {}

    /// @throws PermissionException naming the first one
    static void require(Access grant) throws PermissionException {
        requireFilter("readFilter", grant.readFilter());
        requireFilter("writeFilter", grant.writeFilter());
        if (grant.mergeRequest().isPresent()) {
            requireVariables("mergeRequest", grant.mergeRequest().get());
        }
    }

    private static void requireFilter(String name, Optional<BsonDocument> filter) throws PermissionException {
        if (filter.isPresent()) {
            requireVariables(name, filter.get());
            requireConditions(name, filter.get());
        }
    }

    private static void requireVariables(String name, BsonValue value) throws PermissionException {
        for (var text : texts(value).toList()) {
            requireVariable(name, text);
        }
    }

    private static Stream<String> texts(BsonValue value) {
        return switch (value) {
            case BsonDocument document -> document.values().stream().flatMap(RuleFilterCheck::texts);
            case BsonArray array -> array.stream().flatMap(RuleFilterCheck::texts);
            case BsonString text -> Stream.of(text.getValue());
            default -> Stream.empty();
        };
    }

    private static void requireVariable(String name, String text) throws PermissionException {
        if ((text.startsWith("@") || text.startsWith("%")) && !FilterVariables.occurIn(new BsonString(text))) {
            var head = text.split("[.(\\[]", 2)[0];
            // %%user.id is how rules of Atlas App Services name the account
            var near = head.equals("%%user") ? Optional.of("@user._id") : Nearest.to(head, VARIABLES);
            if (near.isPresent()) {
                throw new PermissionException(
                        "mongo." + name + " names the unknown variable " + text + "; did you mean " + near.get() + "?");
            }
        }
    }

    private static void requireConditions(String name, BsonDocument filter) throws PermissionException {
        for (var entry : filter.entrySet()) {
            var key = entry.getKey();
            var value = entry.getValue();
            if (key.startsWith("$") && !Operators.TOP_OF_FILTER.contains(key)) {
                throw wrong(
                        name,
                        "the unknown operator " + key + Nearest.question(key, Operators.TOP_OF_FILTER)
                                + " (conditions are written as {\"field\": {\"$eq\": …}})");
            }
            switch (key) {
                case "$and", "$or", "$nor" -> {
                    if (!(value instanceof BsonArray all) || all.isEmpty()) {
                        if (!isVariable(value)) {
                            throw wrong(name, key + " without a list of conditions");
                        }
                    } else {
                        for (var each : all) {
                            if (each instanceof BsonDocument condition) {
                                requireConditions(name, condition);
                            } else if (!isVariable(each)) {
                                throw wrong(name, key + " with something that is no condition");
                            }
                        }
                    }
                }
                case "$where" -> {
                    if (!value.isString() && !value.isJavaScript()) {
                        throw wrong(name, "$where without a text");
                    }
                }
                case "$text", "$jsonSchema" -> {
                    if (!value.isDocument()) {
                        throw wrong(name, key + " without an object");
                    }
                }
                default -> {
                    if (!key.startsWith("$")) {
                        requireCondition(name, key, value);
                    }
                }
            }
        }
    }

    /// A condition on a field: an object is operators if its first key is one, else a value, as for MongoDB.
    private static void requireCondition(String name, String field, BsonValue value) throws PermissionException {
        if (value instanceof BsonString text) {
            requireNoPath(name, field, text.getValue());
        } else if (value instanceof BsonDocument operators && hasOperators(operators)) {
            for (var entry : operators.entrySet()) {
                requireOperator(name, field, entry.getKey(), entry.getValue());
            }
        }
    }

    private static void requireOperator(String name, String field, String operator, BsonValue operand)
            throws PermissionException {
        if (!Operators.CONDITIONS.contains(operator)) {
            var variable = meantVariable(operator);
            throw wrong(
                    name,
                    "the unknown operator " + operator + " on " + field
                            + (variable.isEmpty()
                                    ? Nearest.question(operator, Operators.CONDITIONS)
                                    : "; did you mean the text \"" + variable.get() + "\"?"));
        }
        switch (operator) {
            case "$not" -> requireCondition(name, field, operand);
            case "$elemMatch" -> {
                if (operand instanceof BsonDocument inner) {
                    if (hasOperators(inner) && !Operators.TOP_OF_FILTER.contains(inner.getFirstKey())) {
                        requireCondition(name, field, inner);
                    } else {
                        requireConditions(name, inner);
                    }
                }
            }
            case "$in", "$nin", "$all" -> {
                if (operand instanceof BsonArray values) {
                    for (var each : values) {
                        requireCondition(name, field, each);
                    }
                } else if (!isVariable(operand)) {
                    throw wrong(name, operator + " on " + field + " without a list");
                }
            }
            case "$eq", "$ne", "$gt", "$gte", "$lt", "$lte" -> {
                if (operand instanceof BsonString text) {
                    requireNoPath(name, field, text.getValue());
                }
            }
            default -> {
                // operands of other kinds
            }
        }
    }

    private static boolean hasOperators(BsonDocument condition) {
        return !condition.isEmpty() && condition.getFirstKey().startsWith("$");
    }

    /// Outside of `$expr`, `$user._id` is that text.
    private static void requireNoPath(String name, String field, String text) throws PermissionException {
        var variable = meantVariable(text);
        if (variable.isPresent()) {
            throw wrong(name, "the text " + text + " for " + field + "; did you mean " + variable.get() + "?");
        }
    }

    /// The variable that is written with `$` in place of its own sign.
    private static Optional<String> meantVariable(String text) {
        if (!text.startsWith("$")) {
            return Optional.empty();
        }
        var rest = text.substring(1);
        var head = rest.split("[.(\\[]", 2)[0];
        return VARIABLES.stream()
                .filter(variable -> variable.substring(1).equals(head))
                .map(variable -> variable.charAt(0) + rest)
                .findFirst();
    }

    private static boolean isVariable(BsonValue value) {
        return value.isString() && FilterVariables.occurIn(value);
    }

    private static PermissionException wrong(String name, String what) {
        return new PermissionException("mongo." + name + " has " + what);
    }
}
