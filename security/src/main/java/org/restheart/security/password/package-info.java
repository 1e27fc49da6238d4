/// Authentication by name and password: HTTP Basic (RFC 7617, [BasicAuthenticator]) and HTTP Digest (RFC 7616,
/// [DigestAuthenticator]).
///
/// Must not know: where accounts are kept.
@NullMarked
package org.restheart.security.password;

import org.jspecify.annotations.NullMarked;
