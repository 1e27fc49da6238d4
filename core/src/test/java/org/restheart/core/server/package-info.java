/// Tests over the wire.
@NullMarked
package org.restheart.core.server;

import org.jspecify.annotations.NullMarked;
