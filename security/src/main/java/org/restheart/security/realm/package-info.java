/// Accounts and the verification of their passwords; the entry type is [Realm].
///
/// Must not know: how credentials travel, what an account may do.
@NullMarked
package org.restheart.security.realm;

import org.jspecify.annotations.NullMarked;
