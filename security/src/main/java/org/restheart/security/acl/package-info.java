/// Access control lists: permissions that allow roles the requests that a predicate describes, and restrict the visible
/// data. The entry type is [AclAuthorizer]; [PermissionReader] turns documents into [Permission]s.
///
/// Must not know: how callers are authenticated, how requests are executed.
@NullMarked
package org.restheart.security.acl;

import org.jspecify.annotations.NullMarked;
