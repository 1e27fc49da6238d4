/// Finds plugins, installs them, and calls their parts so that a failure of one is its own. What they
/// compile against is `org.restheart.plugin`.
///
/// Entry point: `Plugins`. Must not know: the server, security as configured.
@NullMarked
package org.restheart.core.plugins;

import org.jspecify.annotations.NullMarked;
