/// What security keeps in memory of data that lives elsewhere; the entry type is [InvalidatedCache].
///
/// Must not know: what it keeps.
@NullMarked
package org.restheart.security.cache;

import org.jspecify.annotations.NullMarked;
