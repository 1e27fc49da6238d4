/// Caches of security data whose source is elsewhere; the entry type is [InvalidatedCache].
///
/// Must not know: the types of values.
@NullMarked
package org.restheart.security.cache;

import org.jspecify.annotations.NullMarked;
