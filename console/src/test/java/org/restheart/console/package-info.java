@NullMarked
package org.restheart.console;

import org.jspecify.annotations.NullMarked;
