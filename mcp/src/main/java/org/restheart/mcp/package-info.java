/// The gateway as a Model Context Protocol server: [McpService] translates calls of tools into requests of the REST
/// API,
/// which are judged and answered there, and makes of the answers what fits the context of a language model.
///
/// Must not know: MongoDB, security, other services.
@NullMarked
package org.restheart.mcp;

import org.jspecify.annotations.NullMarked;
