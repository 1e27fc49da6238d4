/// Tests of metrics.
@NullMarked
package org.restheart.core.metrics;

import org.jspecify.annotations.NullMarked;
