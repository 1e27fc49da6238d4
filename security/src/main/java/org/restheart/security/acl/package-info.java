/// Access control lists: permissions that let roles do what a predicate describes, and say what of the data
/// they see. The entry type is [AclAuthorizer]; [PermissionReader] turns documents into [Permission]s.
///
/// Must not know: how anybody is authenticated, what executes a request.
@NullMarked
package org.restheart.security.acl;

import org.jspecify.annotations.NullMarked;
