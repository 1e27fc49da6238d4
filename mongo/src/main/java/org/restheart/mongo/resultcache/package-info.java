/// Pages from results that were read in the last seconds, for requests that accept those. [CachedFinder] is the entry;
/// [Writes] says what was changed through this server since.
///
/// Must not know: HTTP, how deep pages are found.
@NullMarked
package org.restheart.mongo.resultcache;

import org.jspecify.annotations.NullMarked;
