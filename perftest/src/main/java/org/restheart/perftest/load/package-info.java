/// What does the work: wrk over HTTP, and the Java driver in a process of its own.
///
/// Entry types: [Wrk] and [Worker]. They measure; they do not know what the answers mean beyond their status.
@NullMarked
package org.restheart.perftest.load;

import org.jspecify.annotations.NullMarked;
