/// Security as clients see it, over HTTP.
@NullMarked
package org.restheart.core.security;

import org.jspecify.annotations.NullMarked;
