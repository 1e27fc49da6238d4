/// Imports and exports, over HTTP and from the command line.
@NullMarked
package org.restheart.core.transfer;

import org.jspecify.annotations.NullMarked;
