package org.restheart.http.judged;

import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.restheart.data.Executor.Found;
import org.restheart.data.Flow;
import org.restheart.data.Operation.Get;
import org.restheart.http.Request;
import org.restheart.http.Service;
import org.restheart.http.attribute.Key;

/// The service of data: other services send it requests inside the process ([JudgedRequests]) and operations
/// ([DataOperations]).
public interface DataService extends Service {
    /// How documents that are read are shown, where they are stored in another form. Set by guards.
    Key<UnaryOperator<BsonDocument>> SHOWN = Key.named("shown documents");

    /// @param evidence prepared, and passed on by rules and guards
    Flow<Found> get(Request evidence, Get get);
}
