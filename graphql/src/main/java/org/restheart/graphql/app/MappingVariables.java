package org.restheart.graphql.app;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonRegularExpression;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// The values of a mapping's variables at one place of a response: the field's arguments, the parent document, the
/// document at the beginning of the path, and the account. Immutable by agreement.
///
/// @param root null on fields of `Query`
/// @param user null without an account
public record MappingVariables(
        Map<String, Object> arguments,
        BsonValue parent,
        @Nullable BsonValue root,
        @Nullable BsonDocument user) {
    private static final String ROOT = "rootDoc";
    private static final String USER = "@user";

    /// Whether the client determines the value of a name.
    boolean isArgument(String name) {
        return !name.startsWith("@") && (root == null || !(name.equals(ROOT) || name.startsWith(ROOT + ".")));
    }

    /// Whether an argument is a regular expression, or a list of them, because the schema declares it as `Regex`. One
    /// within a value of another type is a value like others.
    boolean isPattern(String name) {
        @Nullable Object at = arguments;
        for (var step : arguments.containsKey(name) ? List.of(name) : List.of(name.split("\\.", -1))) {
            if (at instanceof BsonValue || !(at instanceof Map<?, ?> members)) {
                return false;
            }
            at = members.get(step);
        }
        return at instanceof BsonRegularExpression
                || (!(at instanceof BsonValue)
                        && at instanceof List<?> elements
                        && elements.stream().allMatch(BsonRegularExpression.class::isInstance));
    }

    /// Empty if nothing is bound to the name. An explicit `null` is bound.
    Optional<BsonValue> find(String name) {
        if (name.equals(USER)) {
            return Optional.of(user == null ? BsonNull.VALUE : user);
        }
        if (name.startsWith(USER + ".")) {
            return user == null
                    ? Optional.empty()
                    : ValuePath.parse(name.substring(USER.length() + 1)).find(user);
        }
        if (name.startsWith("@")) {
            return Optional.empty();
        }
        if (root != null && name.equals(ROOT)) {
            return Optional.of(root);
        }
        if (root != null && name.startsWith(ROOT + ".")) {
            return ValuePath.parse(name.substring(ROOT.length() + 1)).find(root);
        }
        return argument(name);
    }

    private Optional<BsonValue> argument(String name) {
        if (arguments.containsKey(name)) {
            return Optional.of(Arguments.toBson(arguments.get(name)));
        }
        int dot = name.indexOf('.');
        if (dot < 0 || !arguments.containsKey(name.substring(0, dot))) {
            return Optional.empty();
        }
        return ValuePath.parse(name.substring(dot + 1)).find(Arguments.toBson(arguments.get(name.substring(0, dot))));
    }
}
