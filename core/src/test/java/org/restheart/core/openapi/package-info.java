/// The OpenAPI description, and what callers may do, over HTTP.
@NullMarked
package org.restheart.core.openapi;

import org.jspecify.annotations.NullMarked;
