/// See docs/architecture.md.
@NullMarked
package org.restheart.perftest;

import org.jspecify.annotations.NullMarked;
