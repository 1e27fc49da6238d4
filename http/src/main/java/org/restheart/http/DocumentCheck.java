package org.restheart.http;

import java.util.List;
import org.bson.BsonDocument;
import org.restheart.http.attribute.Key;

/// Looks at documents as they would be stored, all of one request before the first is. Waits only on a thread that may.
@FunctionalInterface
public interface DocumentCheck {
    Key<DocumentCheck> KEY = Key.named("document check");

    /// @throws ProblemException if one of them must not be stored
    void check(List<? extends BsonDocument> documents);
}
