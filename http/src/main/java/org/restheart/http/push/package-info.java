/// Messages that a server sends of its own accord on an open connection: [Subscription] is what a handler answers with,
/// [Backlog] what lies between who produces and the connection, [Message] what is sent.
///
/// Must not know: HTTP, where messages come from.
@NullMarked
package org.restheart.http.push;

import org.jspecify.annotations.NullMarked;
