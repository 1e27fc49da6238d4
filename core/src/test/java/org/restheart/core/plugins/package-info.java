/// Plugins as jars, over HTTP.
@NullMarked
package org.restheart.core.plugins;

import org.jspecify.annotations.NullMarked;
