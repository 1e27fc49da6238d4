/// Change streams: one MongoDB cursor for all listeners with equal keys, each event encoded once and sent to all.
/// [ChangeStreams] holds the streams that are open, [OpenStream] is the handler that adds listeners.
///
/// Must not know: how messages reach their connections.
@NullMarked
package org.restheart.mongo.changestream;

import org.jspecify.annotations.NullMarked;
