/// Tokens that this server issues for a password, and OAuth 2.0: [TokenService] serves `/token`, a
/// [org.restheart.security.TokenManager] issues and verifies tokens, [AuthorizationService] issues the codes of the
/// authorization code grant with PKCE (RFC 6749, RFC 7636), and [RenewableSessions] have tokens that are valid for
/// minutes and one for days that renews them.
/// Further services are the metadata documents of the endpoints (RFC 8414, RFC 9728). This server is its own
/// authorization server and authenticates users by password.
///
/// Must not know: how passwords are checked, what an account may do, where refresh tokens are stored.
@NullMarked
package org.restheart.security.token;

import org.jspecify.annotations.NullMarked;
