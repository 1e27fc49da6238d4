/// Guards that stand beside authentication and authorization: against guessing, against other origins,
/// against what data requests must not ask.
///
/// Must not know: mechanisms, permissions.
@NullMarked
package org.restheart.security.guard;

import org.jspecify.annotations.NullMarked;
