/// Which service answers which path. [Router] is decided once, at start; [Route] is what it finds.
///
/// Must not know: what services do, how requests arrive.
@NullMarked
package org.restheart.core.routing;

import org.jspecify.annotations.NullMarked;
