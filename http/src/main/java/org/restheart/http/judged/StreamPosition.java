package org.restheart.http.judged;

import java.util.Optional;
import java.util.function.Consumer;
import org.restheart.http.attribute.Key;

/// The position of a listener in its change stream, for services that listen for a while and resume later.
/// Thread-safe.
@FunctionalInterface
public interface StreamPosition {
    /// Receives the position of the listener that a judged request adds.
    Key<Consumer<StreamPosition>> ASKED = Key.named("stream position");

    /// A resume token up to which every event is in the listener's backlog; empty until that is known.
    Optional<String> reached();
}
