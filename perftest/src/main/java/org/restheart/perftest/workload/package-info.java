/// The operations of subjects, defined once, so that HTTP and driver do the same work on the same documents.
///
/// Entry types: [Operation] and [Window]. Knows neither HTTP nor the driver's client.
@NullMarked
package org.restheart.perftest.workload;

import org.jspecify.annotations.NullMarked;
