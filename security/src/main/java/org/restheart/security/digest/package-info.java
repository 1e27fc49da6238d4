/// HTTP Digest authentication (RFC 2617, MD5); the entry type is [DigestAuthenticator]. Only for accounts
/// whose passwords are stored in clear, since the digest is made from them.
///
/// Must not know: where accounts are kept.
@NullMarked
package org.restheart.security.digest;

import org.jspecify.annotations.NullMarked;
