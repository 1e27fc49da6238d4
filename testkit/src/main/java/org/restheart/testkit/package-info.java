/// See docs/architecture.md.
@NullMarked
package org.restheart.testkit;

import org.jspecify.annotations.NullMarked;
