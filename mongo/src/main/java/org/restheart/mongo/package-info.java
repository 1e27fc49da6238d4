/// See docs/architecture.md.
@NullMarked
package org.restheart.mongo;

import org.jspecify.annotations.NullMarked;
