/// See docs/architecture.md.
@NullMarked
package org.restheart.core;

import org.jspecify.annotations.NullMarked;
