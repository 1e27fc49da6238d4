/// App definitions: a GraphQL schema and how its fields are mapped to MongoDB. [Apps] makes an [App] of a document, or
/// says what is wrong with it.
///
/// Must not know: HTTP, where definitions are stored, how MongoDB is asked.
@NullMarked
package org.restheart.graphql.app;

import org.jspecify.annotations.NullMarked;
