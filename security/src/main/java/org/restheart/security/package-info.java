/// Authentication and authorization: [SecurityFilter] authenticates and authorizes requests. Mechanisms are
/// [Authenticator]s, rules are [Authorizer]s and [Vetoer]s; a [Policy] combines those of a gateway.
///
/// Must not know: MongoDB's client (accounts and permissions come through ports), the data API, any HTTP
/// server.
@NullMarked
package org.restheart.security;

import org.jspecify.annotations.NullMarked;
