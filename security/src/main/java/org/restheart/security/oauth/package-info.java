/// OAuth 2.0 for clients in browsers and for tools: the authorization code grant with PKCE (RFC 6749, RFC 7636), and
/// the metadata documents of the endpoints (RFC 8414, RFC 9728). This server is its own authorization server and
/// authenticates users by password.
///
/// Must not know: how passwords are checked, what an account may do.
@NullMarked
package org.restheart.security.oauth;

import org.jspecify.annotations.NullMarked;
