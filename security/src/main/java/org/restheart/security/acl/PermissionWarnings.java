package org.restheart.security.acl;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.FilterMistakes;
import org.restheart.data.Access;
import org.restheart.http.Hint;
import org.restheart.http.Nearest;
import org.restheart.http.ShortText;

/// Warns of what is accepted in a permission and is probably meant otherwise: what MongoDB takes literally in its
/// filters, and roles that nobody has unless an account names them, and that seem to stand for more.
final class PermissionWarnings {
    private static final int MAX_QUOTED = 150;

    /// A variable of the account without its sign, or as templates elsewhere are written.
    private static final Pattern UNSIGNED = Pattern.compile("[${]*(user\\.[A-Za-z0-9_.]+)}*");

    /// Other roles of at most this edit distance count as misspelt.
    private static final int MAX_DISTANCE = 2;

    private static final List<Hint<String>> OF_ROLES = List.of(
            Hint.of(
                    PermissionWarnings::isNearlyUnauthenticated,
                    role -> "the role of requests without credentials is " + AclAuthorizer.UNAUTHENTICATED
                            + "; this permission is for accounts with the role " + role),
            Hint.of(
                    role -> role.startsWith("$") && !isNearlyUnauthenticated(role),
                    role -> "the role " + role
                            + " stands for nobody by itself; this permission is for accounts with the role " + role));

    private PermissionWarnings() {}

    static List<String> of(List<String> roles, Access grant) {
        var warnings = new ArrayList<String>();
        roles.stream()
                .filter(role -> !role.equals(AclAuthorizer.UNAUTHENTICATED))
                .forEach(role -> warnings.addAll(Hint.about(ShortText.of(role, MAX_QUOTED), OF_ROLES)));
        grant.readFilter().ifPresent(filter -> addFilter("mongo.readFilter", filter, warnings));
        grant.writeFilter().ifPresent(filter -> addFilter("mongo.writeFilter", filter, warnings));
        grant.mergeRequest().ifPresent(merged -> addUnsigned("mongo.mergeRequest", "", merged, warnings));
        return warnings;
    }

    private static void addFilter(String name, BsonDocument filter, List<String> warnings) {
        FilterMistakes.in(name, filter).ifPresent(warnings::add);
        addUnsigned(name, "", filter, warnings);
    }

    private static void addUnsigned(String name, String field, BsonValue value, List<String> warnings) {
        switch (value) {
            case BsonDocument document ->
                document.forEach((key, part) -> addUnsigned(name, key.startsWith("$") ? field : key, part, warnings));
            case BsonArray array -> array.forEach(part -> addUnsigned(name, field, part, warnings));
            case BsonString text -> {
                var matcher = UNSIGNED.matcher(text.getValue());
                if (matcher.matches()) {
                    // such as the kind of an event: no question, since the text may be meant
                    warnings.add(name + " has "
                            + ShortText.of("the text " + text.getValue() + " for " + field, MAX_QUOTED)
                            + ", which is taken literally; a property of the account is written @" + matcher.group(1));
                }
            }
            default -> {}
        }
    }

    /// `$authenticated` is as near, and means the contrary.
    private static boolean isNearlyUnauthenticated(String role) {
        return role.toLowerCase(Locale.ROOT).contains("un")
                && Nearest.distance(role, AclAuthorizer.UNAUTHENTICATED) <= MAX_DISTANCE;
    }
}
