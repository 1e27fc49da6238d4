package org.restheart.core.server;

import java.util.concurrent.Executor;
import org.restheart.core.observation.Observer;

/// What every exchange works with.
///
/// @param threads starts a virtual thread per task
record ServerParts(
        Admission admission, BodyLimits bodies, ResponseWriter writer, Executor threads, Observer observer) {}
