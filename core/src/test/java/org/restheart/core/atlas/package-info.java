/// The Atlas Data API as its clients see it, over HTTP.
@NullMarked
package org.restheart.core.atlas;

import org.jspecify.annotations.NullMarked;
