/// Tokens that this server issues for a password: [TokenService] serves `/token`, a [TokenManager] issues and verifies
/// tokens, and cookies may contain them.
///
/// Must not know: how passwords are checked, what an account may do.
@NullMarked
package org.restheart.security.token;

import org.jspecify.annotations.NullMarked;
