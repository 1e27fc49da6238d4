/// Observation of completed requests. The server creates one [Observation] per request and passes it to every
/// [Observer]: the request log and the metrics.
///
/// Must not know: the HTTP server, services.
@NullMarked
package org.restheart.core.observation;

import org.jspecify.annotations.NullMarked;
