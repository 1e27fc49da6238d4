package org.restheart.http.judged;

import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.attribute.Key;

/// Requests MongoDB's plan of a query or a pipeline in place of its results.
///
/// @param executes whether the query is run, so that the plan contains execution statistics
/// @param receiver receives MongoDB's plan, which includes the access rule's filter
public record QueryPlanRequest(boolean executes, Consumer<BsonDocument> receiver) {
    public static final Key<QueryPlanRequest> KEY = Key.named("explain");
}
