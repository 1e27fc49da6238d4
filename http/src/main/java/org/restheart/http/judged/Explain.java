package org.restheart.http.judged;

import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.http.attribute.Key;

/// Asks how MongoDB would answer a query or a pipeline, instead of having it answered.
///
/// @param executes whether it is run, so that the plan has numbers
/// @param receiver receives MongoDB's plan, including the access rule's part
public record Explain(boolean executes, Consumer<BsonDocument> receiver) {
    public static final Key<Explain> KEY = Key.named("explain");
}
