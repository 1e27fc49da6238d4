/// Maps paths to services. [Router] is built once, at start; [Router.Route] is its result.
///
/// Must not know: what services do, how requests arrive.
@NullMarked
package org.restheart.core.routing;

import org.jspecify.annotations.NullMarked;
