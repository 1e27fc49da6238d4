package org.restheart.mongo.exchange;

import org.bson.BsonDocument;

/// The rule that documents of a collection must satisfy to be stored. Confined to one request.
public interface DocumentRule {
    /// Blocks for MongoDB.
    ///
    /// @param document in the form shown to clients
    /// @param disclose whether the message may name the violations
    /// @throws org.restheart.http.ProblemException 400 for a violation, 500 if the rule cannot be evaluated
    void check(BsonDocument document, boolean disclose);

    /// Whether changes of many documents at once are not checked.
    boolean skipsUnsupported();
}
