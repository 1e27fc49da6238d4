package org.restheart.mongo.cursor.pool;

import com.mongodb.MongoException;
import java.util.Optional;
import org.restheart.mongo.find.FindQuery;

/// Opens cursors. Thread-safe.
interface Opener {
    /// Whether all commands reach the server that keeps the cursor.
    boolean isPossible();

    /// A cursor that stands at the position: MongoDB has counted what comes before. Waits for that.
    ///
    /// @param query its skip and limit are not used
    /// @param position from 1
    /// @param span documents that it may read from there
    /// @return empty if the result ends before
    /// @throws MongoException if MongoDB refuses the query or cannot be asked
    Optional<PositionedCursor> open(CursorKey key, FindQuery query, long position, int span);
}
