package org.restheart.http;

import java.util.List;
import org.bson.BsonDocument;
import org.restheart.http.attribute.Key;

/// Checks the documents of one request in the form in which they would be stored, before the first one is stored.
/// Called on a thread that may block.
@FunctionalInterface
public interface DocumentCheck {
    Key<DocumentCheck> KEY = Key.named("document check");

    /// @param documents all documents of the request
    /// @throws ProblemException if one of them must not be stored: then none is
    void check(List<? extends BsonDocument> documents);
}
