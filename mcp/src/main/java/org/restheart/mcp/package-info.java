/// The gateway as a Model Context Protocol server: [McpService] translates calls of tools into requests of the REST
/// API and shortens the responses to fit the context of a language model.
///
/// Must not know: MongoDB, security, other services.
@NullMarked
package org.restheart.mcp;

import org.jspecify.annotations.NullMarked;
