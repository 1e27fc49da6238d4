/// Distributed tracing: the span of the request for which a thread works. The server creates spans; what waits, sends
/// commands or encodes adds its part to the current one. Nothing of this exists while tracing is off, but for
/// callers that are told where the time went (`Server-Timing`).
///
/// Must not know: how spans are exported.
@NullMarked
package org.restheart.http.trace;

import org.jspecify.annotations.NullMarked;
