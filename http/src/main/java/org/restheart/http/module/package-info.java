/// How services that a distribution may leave out register: GraphQL, the Data API, MCP, OpenAPI, the console.
///
/// Must not know: what they do, and the server that runs them.
@NullMarked
package org.restheart.http.module;

import org.jspecify.annotations.NullMarked;
