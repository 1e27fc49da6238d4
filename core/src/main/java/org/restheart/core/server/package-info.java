/// The HTTP server: receives requests from the wire and sends responses to it. [UndertowListener] is the entry point.
///
/// The only package that knows Undertow; nothing it hands out or takes names a type of it.
@NullMarked
package org.restheart.core.server;

import org.jspecify.annotations.NullMarked;
