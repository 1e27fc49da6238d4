/// API keys: credentials of an account for programs. [ApiKeyAuthenticator] accepts them, [ApiKeyService] issues them.
///
/// Must not know: where keys are stored.
@NullMarked
package org.restheart.security.apikey;

import org.jspecify.annotations.NullMarked;
