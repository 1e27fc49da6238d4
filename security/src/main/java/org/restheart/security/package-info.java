/// See docs/architecture.md.
@NullMarked
package org.restheart.security;

import org.jspecify.annotations.NullMarked;
