/// HTTP Basic authentication (RFC 7617); the entry type is [BasicAuthenticator].
///
/// Must not know: where accounts are kept.
@NullMarked
package org.restheart.security.basic;

import org.jspecify.annotations.NullMarked;
