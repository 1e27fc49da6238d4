/// Security as configured: [Security] makes the parts of module security and gives every binding its entryPoint.
/// Whatever of it needs MongoDB's client is here.
///
/// Must not know: the HTTP server, how rules are evaluated.
@NullMarked
package org.restheart.core.accounts;

import org.jspecify.annotations.NullMarked;
