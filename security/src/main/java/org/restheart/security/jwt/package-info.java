/// JSON Web Tokens (RFC 7519): [JwtVerifier] checks them, [JwtSigner] makes them, [JwtAuthenticator] takes
/// them as credentials (RFC 6750).
///
/// Must not know: what an account may do, where tokens are handed out.
@NullMarked
package org.restheart.security.jwt;

import org.jspecify.annotations.NullMarked;
