/// Tests of metrics.
@NullMarked
package org.restheart.core.accounts;

import org.jspecify.annotations.NullMarked;
