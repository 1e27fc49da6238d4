/// What the data API must not do with the collection of accounts: show or compare passwords, store them in
/// clear, or make somebody root. The entry type is [UsersGuard], a filter in front of the data API.
///
/// Must not know: how requests are executed, who may make them.
@NullMarked
package org.restheart.security.users;

import org.jspecify.annotations.NullMarked;
