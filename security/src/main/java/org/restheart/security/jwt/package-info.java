/// JSON Web Tokens (RFC 7519): [JwtVerifier] checks them, [Jwt.JwtSigner] creates them,
/// [JwtAuthenticator] accepts them as credentials (RFC 6750).
///
/// Must not know: what an account may do, where tokens are issued.
@NullMarked
package org.restheart.security.jwt;

import org.jspecify.annotations.NullMarked;
