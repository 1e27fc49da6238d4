/// Tests of the steps around services.
@NullMarked
package org.restheart.core.filter;

import org.jspecify.annotations.NullMarked;
