/// Sets up where log lines go and what they look like: [LogSetup], from the `logging` block of the configuration.
///
/// Must not know: what is logged.
@NullMarked
package org.restheart.core.logging;

import org.jspecify.annotations.NullMarked;
