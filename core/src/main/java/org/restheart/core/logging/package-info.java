/// Configures log appenders and layouts: [LogSetup], from the `logging` block of the configuration.
///
/// Must not know: what is logged.
@NullMarked
package org.restheart.core.logging;

import org.jspecify.annotations.NullMarked;
