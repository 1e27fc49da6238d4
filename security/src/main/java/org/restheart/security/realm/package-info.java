/// Where accounts are kept and how their passwords are checked; the entry type is [Realm].
///
/// Must not know: how credentials travel, what an account may do.
@NullMarked
package org.restheart.security.realm;

import org.jspecify.annotations.NullMarked;
