package org.restheart.mongo.changestream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The callers whose listeners share a cursor, with the number of their listeners. The cursor counts for one of them:
/// for the one on whose behalf it was opened, and once that one has left, for the one that has listened longest. So
/// nobody pays for a cursor that only others use. Thread-safe; never blocks for long.
final class Sharers {
    @GuardedBy("this")
    private final Map<String, Integer> listeners = new LinkedHashMap<>();

    @GuardedBy("this")
    private Cursors.@Nullable Place place;

    synchronized void joined(String caller) {
        listeners.merge(caller, 1, Integer::sum);
    }

    synchronized void left(String caller) {
        listeners.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
        settle();
    }

    /// The cursor's place was acquired; [#close()] gives it back.
    synchronized void hold(Cursors.Place acquired) {
        place = acquired;
        settle();
    }

    @GuardedBy("this")
    private void settle() {
        if (place != null && !listeners.isEmpty() && !listeners.containsKey(place.owner())) {
            place.passTo(listeners.keySet().iterator().next());
        }
    }

    /// Gives the place back, if there is one.
    synchronized void close() {
        if (place != null) {
            place.close();
            place = null;
        }
    }
}
