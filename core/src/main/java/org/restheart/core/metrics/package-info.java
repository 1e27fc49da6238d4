/// Metrics for operators: requests by template, method and status, the JVM, the connection pool, the gateway's own
/// load. Each [Metrics.MetricsRegistry] is one page of Prometheus text.
///
/// Must not know: how the pages are served.
@NullMarked
package org.restheart.core.metrics;

import org.jspecify.annotations.NullMarked;
