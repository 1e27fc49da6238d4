/// The HTTP server: receives requests from the wire and sends responses to it. [UndertowListener] is the entry point.
///
/// The only package that depends on Undertow; none of its types are in the interface.
@NullMarked
package org.restheart.core.server;

import org.jspecify.annotations.NullMarked;
