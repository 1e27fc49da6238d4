package org.restheart.mongo.changestream;

import java.time.Duration;

/// What change streams may cost.
///
/// @param enabled whether there are any
/// @param keepAlive how often an idle connection shows that it is alive; zero for never
/// @param maxCursors most MongoDB cursors at once; each keeps a connection to MongoDB busy
/// @param maxListeners most connections at once
/// @param maxWaitingMessages most messages that wait for one listener
/// @param maxWaitingBytes most bytes that wait for one listener
/// @param recheck how often definitions that others may have changed are looked at
/// @param recheckRights how often it is asked whether listeners would still be let in; zero for never
/// @param validate whether malformed definitions are refused when they are written
public record ChangeStreamConfig(
        boolean enabled,
        Duration keepAlive,
        int maxCursors,
        int maxListeners,
        int maxWaitingMessages,
        long maxWaitingBytes,
        Duration recheck,
        Duration recheckRights,
        boolean validate) {
    public static final ChangeStreamConfig DEFAULT = new ChangeStreamConfig(
            true, Duration.ofSeconds(20), 500, 100_000, 1_000, 8L << 20, Duration.ofSeconds(60), Duration.ZERO, false);
}
