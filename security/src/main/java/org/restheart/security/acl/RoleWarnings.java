package org.restheart.security.acl;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.restheart.http.Nearest;
import org.restheart.http.ShortText;

/// Warns of roles of a permission that nobody has unless an account names them, and that seem to stand for more.
final class RoleWarnings {
    private static final int MAX_QUOTED = 50;

    /// Other roles of at most this edit distance count as misspelt.
    private static final int MAX_DISTANCE = 2;

    private RoleWarnings() {}

    static List<String> of(List<String> roles) {
        return roles.stream().flatMap(role -> of(role).stream()).toList();
    }

    private static Optional<String> of(String role) {
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
                        + " stands for nobody by itself; this permission is for accounts with" + " the role " + quoted)
                : Optional.empty();
    }

    /// `$authenticated` is as near, and means the contrary.
    private static boolean isNearlyUnauthenticated(String role) {
        return role.toLowerCase(Locale.ROOT).contains("un")
                && Nearest.distance(role, AclAuthorizer.UNAUTHENTICATED) <= MAX_DISTANCE;
    }
}
