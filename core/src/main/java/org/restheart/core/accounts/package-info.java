/// Security as configured: [Security] constructs the parts of the security module and the security filter of every
/// binding, and implements what needs MongoDB's client.
///
/// Must not know: the HTTP server, how rules are evaluated.
@NullMarked
package org.restheart.core.accounts;

import org.jspecify.annotations.NullMarked;
