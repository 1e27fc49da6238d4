/// GraphQL: an operator stores definitions of apps, each a schema and how its fields are mapped to MongoDB;
/// clients send queries. [GraphqlService] is the entry point for these, [GraphqlService.DefinitionGuard] for the
/// definitions.
///
/// Must not know: an HTTP server, how callers are authenticated, the driver's collections.
@NullMarked
package org.restheart.graphql;

import org.jspecify.annotations.NullMarked;
