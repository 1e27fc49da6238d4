package org.restheart.security.acl;

import java.util.List;
import org.restheart.http.Request;

/// Where an [AclAuthorizer] finds permissions. Thread-safe.
@FunctionalInterface
public interface Permissions {
    /// The permissions of a role in the order in which they are tried. Does not wait for what is known already;
    /// otherwise it first calls [Request#requireThread()].
    ///
    /// @throws RuntimeException if they cannot be had: nobody is let in then
    List<Permission> of(Request request, String role);
}
