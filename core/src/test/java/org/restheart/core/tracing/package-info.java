@NullMarked
package org.restheart.core.tracing;

import org.jspecify.annotations.NullMarked;
