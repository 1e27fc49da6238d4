/// Traces of requests by the OpenTelemetry SDK: spans, and their export to a collector. [Tracing] is the entry type.
///
/// Must not know: the HTTP server, services.
@NullMarked
package org.restheart.core.tracing;

import org.jspecify.annotations.NullMarked;
