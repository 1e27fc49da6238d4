/// Tens of thousands of change-stream listeners on one thread: WebSocket, Server-Sent Events over HTTP/1.1, and the
/// same over HTTP/2 with many streams per connection.
///
/// Entry type: [ListenProcess]. Knows of an event only its number and the moment it was sent.
@NullMarked
package org.restheart.perftest.listen;

import org.jspecify.annotations.NullMarked;
