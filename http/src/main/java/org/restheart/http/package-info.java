/// The vocabulary every other module speaks: a [Request] goes through [Filter]s to a [Handler] and a [Response] comes
/// back. Requests and responses are immutable values, so a whole pipeline runs in a test without a socket.
///
/// Must not know: any HTTP server, the MongoDB driver's client, configuration.
@NullMarked
package org.restheart.http;

import org.jspecify.annotations.NullMarked;
