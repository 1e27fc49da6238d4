/// A cache of results of the last seconds, for requests that accept it. [CachedFinder] is the entry point;
/// [WriteCounters] counts changes through this server.
///
/// Must not know: HTTP, how deep pages are found.
@NullMarked
package org.restheart.mongo.resultcache;

import org.jspecify.annotations.NullMarked;
