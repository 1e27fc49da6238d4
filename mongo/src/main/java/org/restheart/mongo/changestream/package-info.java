/// Change streams: one MongoDB cursor for everyone who listens to the same thing, each event encoded once and sent to
/// all. [ChangeStreams] is the broker, [OpenStream] the handler that lets listeners in.
///
/// Must not know: how messages reach their connections.
@NullMarked
package org.restheart.mongo.changestream;

import org.jspecify.annotations.NullMarked;
