package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// A write of one document by its id, not carried out yet: to be sent alone, or as one statement of a command that
/// holds
/// statements of others. Exactly one of [#alone()] and the statement is carried out. Used by one thread at a time.
///
/// @param <O> the outcome
public interface DocumentWrite<O> {
    MongoNamespace namespace();

    BsonValue id();

    /// Acknowledged.
    WriteConcern writeConcern();

    /// An element of `updates` or `deletes`. Empty for a write that must go alone: it is part of a session, or how long
    /// it takes or whether it fails depends on more than a few comparisons.
    Optional<BsonDocument> statement();

    /// Carries it out by itself, once; waits for MongoDB.
    ///
    /// @throws com.mongodb.MongoException if MongoDB refuses it or its outcome is not known
    O alone();

    /// What the result of the statement means, if nothing more has to be asked.
    ///
    /// @throws com.mongodb.MongoWriteException if MongoDB refused it
    Optional<O> outcome(StatementResult result);

    /// The same where MongoDB has to be asked why the statement did nothing; tries again if the reason has gone. Waits
    /// for MongoDB.
    ///
    /// @throws com.mongodb.MongoException as [#alone()]
    O explained(StatementResult result);
}
