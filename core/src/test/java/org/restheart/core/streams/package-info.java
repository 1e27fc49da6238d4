/// Change streams over the wire.
@NullMarked
package org.restheart.core.streams;

import org.jspecify.annotations.NullMarked;
