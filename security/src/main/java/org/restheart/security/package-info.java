/// Authentication and authorization: [SecurityFilter] finds out who asks and whether they may. Mechanisms are
/// [Authenticator]s, rules
/// are [Authorizer]s and [Vetoer]s; a [Policy] is what of them a gateway has.
///
/// Must not know: MongoDB's client (accounts and permissions come through ports), the data API, any HTTP
/// server.
@NullMarked
package org.restheart.security;

import org.jspecify.annotations.NullMarked;
