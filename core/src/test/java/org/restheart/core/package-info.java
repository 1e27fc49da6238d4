/// The whole gateway over a real MongoDB; the architecture's rules.
@NullMarked
package org.restheart.core;

import org.jspecify.annotations.NullMarked;
