package org.restheart.security.acl;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.restheart.http.Request;
import org.restheart.security.acl.AclAuthorizer.Permissions;

/// The permissions of a file. Thread-safe.
///
/// Within a role the lower priority is tried first; of equal ones, the one that is later in the file.
public final class FilePermissions implements Permissions {
    private volatile Map<String, List<Permission>> byRole;

    /// @param permissions in the order of the file
    public FilePermissions(List<Permission> permissions) {
        this.byRole = byRole(permissions);
    }

    public void replace(List<Permission> permissions) {
        byRole = byRole(permissions);
    }

    private static Map<String, List<Permission>> byRole(List<Permission> permissions) {
        var byRole = new HashMap<String, List<Permission>>();
        permissions.reversed().stream()
                .sorted(Comparator.comparingDouble(rule -> rule.priority().orElse(Double.POSITIVE_INFINITY)))
                .forEach(rule -> rule.roles().stream()
                        .distinct()
                        .forEach(role -> byRole.computeIfAbsent(role, _ -> new ArrayList<>())
                                .add(rule)));
        return Map.copyOf(byRole);
    }

    @Override
    public List<Permission> of(Request request, String role) {
        return byRole.getOrDefault(role, List.of());
    }
}
