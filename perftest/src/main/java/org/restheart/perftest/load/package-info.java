/// A frugal HTTP/1.1 load client: one or two threads, a selector each, requests prepared as bytes.
///
/// Entry type: [HttpLoad]. It measures; it does not know what the answers mean beyond their status.
@NullMarked
package org.restheart.perftest.load;

import org.jspecify.annotations.NullMarked;
