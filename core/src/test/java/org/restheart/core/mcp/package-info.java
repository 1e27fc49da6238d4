/// The Model Context Protocol as clients see it, over HTTP.
@NullMarked
package org.restheart.core.mcp;

import org.jspecify.annotations.NullMarked;
