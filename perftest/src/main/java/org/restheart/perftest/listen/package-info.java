/// Tens of thousands of change-stream listeners on one thread: WebSocket, Server-Sent Events over HTTP/1.1, and the
/// same over HTTP/2 with many streams per connection.
///
/// Entry type: [ListenProcess]. Of an event only its number and the time when it was sent are used.
@NullMarked
package org.restheart.perftest.listen;

import org.jspecify.annotations.NullMarked;
