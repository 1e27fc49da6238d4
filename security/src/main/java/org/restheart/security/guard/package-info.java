/// Guards in addition to authentication and authorization: against guessing of passwords and against foreign origins.
///
/// Must not know: mechanisms, permissions.
@NullMarked
package org.restheart.security.guard;

import org.jspecify.annotations.NullMarked;
