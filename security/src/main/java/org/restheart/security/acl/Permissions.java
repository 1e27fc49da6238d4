package org.restheart.security.acl;

import java.util.List;
import org.restheart.http.Request;

/// The permissions of an [AclAuthorizer]. Thread-safe.
@FunctionalInterface
interface Permissions {
    /// The permissions of a role in the order in which they are tried. Does not block for cached permissions; otherwise
    /// it first calls [Request#requireThread()].
    ///
    /// @throws RuntimeException if they cannot be loaded: the request is then refused
    List<Permission> of(Request request, String role);
}
