/// Prevents the data API from showing or comparing passwords in the collection of accounts, from storing them in clear,
/// and from giving an account the root role. The entry type is [UsersGuard], a filter in front of the data API.
///
/// Must not know: how requests are executed, who may make them.
@NullMarked
package org.restheart.security.users;

import org.jspecify.annotations.NullMarked;
