/// Tokens that this server hands out itself, after a password: [TokenService] answers `/token`, a
/// [TokenManager] makes and knows the tokens, and cookies may carry them.
///
/// Must not know: how passwords are checked, what an account may do.
@NullMarked
package org.restheart.security.token;

import org.jspecify.annotations.NullMarked;
