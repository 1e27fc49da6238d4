/// App definitions: a GraphQL schema and how its fields are mapped to MongoDB. [Apps] compiles a document to an
/// [Apps.App], or reports its errors.
///
/// Must not know: HTTP, where definitions are stored, how MongoDB is queried.
@NullMarked
package org.restheart.graphql.app;

import org.jspecify.annotations.NullMarked;
