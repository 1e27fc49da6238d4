/// What is told about requests when they are over. The server makes one [Observation] per request and hands it
/// to every [Observer]: the request log, the metrics.
///
/// Must not know: the HTTP server, services.
@NullMarked
package org.restheart.core.observation;

import org.jspecify.annotations.NullMarked;
