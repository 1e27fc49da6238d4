package org.restheart.rest.changestream;

import java.time.Duration;

/// Limits of change streams.
///
/// @param keepAlive interval of keep-alive messages on idle connections; zero for none
/// @param maxCursors most MongoDB cursors at once; each occupies a connection to MongoDB
/// @param maxCursorsPerAccount most of them on behalf of one account, or of one address without an account, which has
///     no more than are free anyway
/// @param maxListeners most connections at once; of one account or address no more than are free
/// @param maxWaitingMessages most queued messages per listener
/// @param maxWaitingBytes most queued bytes per listener
/// @param maxWaitingTogether most queued bytes of all listeners together; half of them for one caller
/// @param recheck interval in which definitions are checked for changes by others
/// @param recheckRights interval in which listeners are authorized again; zero for never
/// @param validate whether malformed definitions are refused when they are written
public record ChangeStreamConfig(
        boolean enabled,
        Duration keepAlive,
        int maxCursors,
        int maxCursorsPerAccount,
        int maxListeners,
        int maxWaitingMessages,
        long maxWaitingBytes,
        long maxWaitingTogether,
        Duration recheck,
        Duration recheckRights,
        boolean validate) {}
