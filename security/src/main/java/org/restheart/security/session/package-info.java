/// Sessions of clients: tokens that are valid for minutes, and one for days by which they are renewed.
///
/// Must not know: where refresh tokens are stored, which API begins sessions.
@NullMarked
package org.restheart.security.session;

import org.jspecify.annotations.NullMarked;
