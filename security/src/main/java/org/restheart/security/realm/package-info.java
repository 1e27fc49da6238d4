/// Accounts and authentication with their passwords: HTTP Basic (RFC 7617, [BasicAuthenticator]) and HTTP Digest (RFC
/// 7616, [DigestAuthenticator]) over a [Realm], the entry type.
///
/// Must not know: where accounts are stored, what an account may do.
@NullMarked
package org.restheart.security.realm;

import org.jspecify.annotations.NullMarked;
