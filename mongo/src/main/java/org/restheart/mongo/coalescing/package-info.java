/// Natural batching: requests that arrive while MongoDB works on earlier ones of the same shape leave together,
/// as one command. No timers: a request that finds a free command leaves at once. [BatchQueue] is the
/// mechanism, one per shape; [Coalescer] is the entry point.
///
/// What holds: a command starts after every request in it has arrived, so no request reads data older than its
/// request; only requests of one shape share a queue; each caller gets its own outcome; everything is bounded.
///
/// Must not know: HTTP, representations.
@NullMarked
package org.restheart.mongo.coalescing;

import org.jspecify.annotations.NullMarked;
