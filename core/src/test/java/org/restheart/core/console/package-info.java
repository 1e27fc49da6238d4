/// The console: how its files are served, and what people do with it, in a browser.
@NullMarked
package org.restheart.core.console;

import org.jspecify.annotations.NullMarked;
