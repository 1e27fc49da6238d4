/// Tests of routing.
@NullMarked
package org.restheart.core.routing;

import org.jspecify.annotations.NullMarked;
