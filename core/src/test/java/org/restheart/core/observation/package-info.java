/// Tests of observation.
@NullMarked
package org.restheart.core.observation;

import org.jspecify.annotations.NullMarked;
