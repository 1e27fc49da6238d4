/// The HTTP model of every other module: a [Request] passes through [Filter]s to a [Handler], which returns a
/// [Response]. Requests and responses are immutable values, so a whole pipeline runs in a test without a socket.
///
/// Must not know: any HTTP server, the MongoDB driver's client, configuration.
@NullMarked
package org.restheart.http;

import org.jspecify.annotations.NullMarked;
