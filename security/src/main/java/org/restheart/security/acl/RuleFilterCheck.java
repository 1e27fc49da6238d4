package org.restheart.security.acl;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators.Place;
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
        requireFilter("mongo.readFilter", grant.readFilter());
        requireFilter("mongo.writeFilter", grant.writeFilter());
        if (grant.mergeRequest().isPresent()) {
            requireVariables("mongo.mergeRequest", grant.mergeRequest().get(), false);
        }
    }

    private static void requireFilter(String name, Optional<BsonDocument> filter) throws PermissionException {
        if (filter.isPresent()) {
            requireVariables(name, filter.get(), true);
            var unknown = NamedOperators.unknown(
                    walk -> walk.filter(filter.get(), Location.of(name)), RuleFilterCheck::meantVariable);
            for (var found : unknown) {
                if (found.place() == Place.QUERY) {
                    throw new PermissionException(name + " has " + found);
                }
            }
        }
    }

    /// @param isFilter whether a text such as `$user._id` means nothing but itself, as it does outside of `$expr`
    private static void requireVariables(String name, BsonValue value, boolean isFilter) throws PermissionException {
        switch (value) {
            case BsonDocument document -> {
                for (var entry : document.entrySet()) {
                    requireVariables(
                            name, entry.getValue(), isFilter && !entry.getKey().equals("$expr"));
                }
            }
            case BsonArray array -> {
                for (var element : array) {
                    requireVariables(name, element, isFilter);
                }
            }
            case BsonString text -> requireVariable(name, text.getValue(), isFilter);
            default -> {}
        }
    }

    private static void requireVariable(String name, String text, boolean isFilter) throws PermissionException {
        var meant = isFilter ? meantVariable(text) : Optional.<String>empty();
        if (meant.isPresent()) {
            throw new PermissionException(name + " has the text " + text + "; did you mean " + meant.get() + "?");
        }
        boolean isSigned = text.startsWith("@") || text.startsWith("%");
        if (isSigned && !FilterVariables.occurIn(new BsonString(text))) {
            var head = text.split("[.(\\[]", 2)[0];
            var near = text.equals("@rnd") // which has an argument
                    ? Optional.of("@rnd(128)")
                    // %%user.id is how rules of Atlas App Services name the account
                    : head.equals("%%user") ? Optional.of("@user._id") : Nearest.to(head, VARIABLES);
            if (near.isPresent()) {
                throw new PermissionException(
                        name + " names the unknown variable " + text + "; did you mean " + near.get() + "?");
            }
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
}
