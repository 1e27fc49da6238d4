package org.restheart.security.acl;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.data.Access;
import org.restheart.http.Nearest;
import org.restheart.http.ShortText;

/// Warns of what is accepted in a permission and is probably meant otherwise: what MongoDB takes literally in its
/// filters, and roles that nobody has unless an account names them, and that seem to stand for more.
final class PermissionWarnings {
    private static final int MAX_QUOTED = 150;

    /// A variable of the account without its sign, or as templates elsewhere are written.
    private static final Pattern UNSIGNED = Pattern.compile("[${]*(user\\.[A-Za-z0-9_.]+)}*");

    /// An object that has one of these as its only key is probably a condition.
    private static final Set<String> WITHOUT_SIGN =
            Set.of("eq", "ne", "gt", "gte", "lt", "lte", "not", "exists", "regex", "elemMatch");

    private static final Set<String> OF_LISTS = Set.of("in", "nin", "all");

    /// Other roles of at most this edit distance count as misspelt.
    private static final int MAX_DISTANCE = 2;

    private PermissionWarnings() {}

    static List<String> of(List<String> roles, Access grant) {
        var warnings = new ArrayList<String>();
        roles.forEach(role -> ofRole(role).ifPresent(warnings::add));
        grant.readFilter().ifPresent(filter -> addAll("readFilter", filter, warnings));
        grant.writeFilter().ifPresent(filter -> addAll("writeFilter", filter, warnings));
        grant.mergeRequest()
                .ifPresent(merged -> merged.forEach((field, value) -> add("mergeRequest", field, value, warnings)));
        return warnings;
    }

    private static void addAll(String name, BsonDocument filter, List<String> warnings) {
        filter.forEach((key, value) -> {
            if (value instanceof BsonArray all && Set.of("$and", "$or", "$nor").contains(key)) {
                all.stream().filter(BsonValue::isDocument).forEach(each -> addAll(name, each.asDocument(), warnings));
            } else if (value instanceof BsonArray all
                    && Set.of("and", "or", "nor").contains(key)
                    && all.stream().anyMatch(BsonValue::isDocument)) {
                warnings.add(text(name, "a condition on the property " + key, "$" + key));
            } else if (value instanceof BsonDocument object && object.size() == 1) {
                var operator = object.getFirstKey();
                if (WITHOUT_SIGN.contains(operator) || (OF_LISTS.contains(operator) && object.isArray(operator))) {
                    warnings.add(text(
                            name, "a comparison of " + key + " with an object, {" + operator + ": …}", "$" + operator));
                } else if (operator.equals("$eq") || operator.equals("$ne")) {
                    add(name, key, object.values().iterator().next(), warnings);
                }
            } else {
                add(name, key, value, warnings);
            }
        });
    }

    private static void add(String name, String field, BsonValue value, List<String> warnings) {
        if (value instanceof BsonString text) {
            var matcher = UNSIGNED.matcher(text.getValue());
            if (matcher.matches()) {
                // such as the kind of an event: no question, since the text may be meant
                warnings.add("mongo." + name + " has "
                        + ShortText.of("the text " + text.getValue() + " for " + field, MAX_QUOTED)
                        + ", which is taken literally; a property of the account is written @" + matcher.group(1));
            }
        }
    }

    private static String text(String name, String what, String meant) {
        return "mongo." + name + " has " + ShortText.of(what, MAX_QUOTED) + "; did you mean " + meant + "?";
    }

    private static Optional<String> ofRole(String role) {
        if (role.equals(AclAuthorizer.UNAUTHENTICATED)) {
            return Optional.empty();
        }
        var quoted = ShortText.of(role, MAX_QUOTED);
        if (isNearlyUnauthenticated(quoted)) {
            return Optional.of("the role of requests without credentials is " + AclAuthorizer.UNAUTHENTICATED
                    + "; this permission is for accounts with the role " + quoted);
        }
        return role.startsWith("$")
                ? Optional.of("the role " + quoted
                        + " stands for nobody by itself; this permission is for accounts with the role " + quoted)
                : Optional.empty();
    }

    /// `$authenticated` is as near, and means the contrary.
    private static boolean isNearlyUnauthenticated(String role) {
        return role.toLowerCase(Locale.ROOT).contains("un")
                && Nearest.distance(role, AclAuthorizer.UNAUTHENTICATED) <= MAX_DISTANCE;
    }
}
