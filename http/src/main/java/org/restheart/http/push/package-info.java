/// Messages that the server pushes on an open connection: a handler responds with a [Subscription], a [Backlog] queues
/// each [Message] between its producer and the connection.
///
/// Must not know: HTTP, the source of messages.
@NullMarked
package org.restheart.http.push;

import org.jspecify.annotations.NullMarked;
