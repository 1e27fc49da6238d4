package org.restheart.mongo.exchange;

import org.bson.BsonDocument;

/// What documents of a collection must satisfy to be stored. Confined to one request.
public interface DocumentRule {
    /// Waits for MongoDB.
    ///
    /// @param document as a client would see it
    /// @param tell whether the caller may know what of the document violates what
    /// @throws org.restheart.http.ProblemException 400 for one that must not be stored, 500 where nobody can say
    void check(BsonDocument document, boolean tell);

    /// Whether writes whose documents cannot be checked are let through.
    boolean skipsUnsupported();
}
