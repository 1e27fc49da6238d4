package org.restheart.http;

import java.util.List;
import org.bson.BsonDocument;
import org.restheart.http.attribute.Key;

/// Checks the documents of one request as they would be stored, before the first is stored. Blocks only on a thread
/// that may block.
@FunctionalInterface
public interface DocumentCheck {
    Key<DocumentCheck> KEY = Key.named("document check");

    /// @throws ProblemException if one of them must not be stored
    void check(List<? extends BsonDocument> documents);
}
