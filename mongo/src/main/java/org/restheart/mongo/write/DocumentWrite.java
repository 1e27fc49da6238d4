package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// A prepared write of one document by its id: sent separately, or as one statement of a shared command. Exactly one
/// of [#alone()] and the statement is executed. Used by one thread at a time.
///
/// @param <O> the outcome
public interface DocumentWrite<O> {
    MongoNamespace namespace();

    BsonValue id();

    /// Acknowledged.
    WriteConcern writeConcern();

    /// An element of `updates` or `deletes`. Empty for a write that must be sent separately: it is part of a
    /// session, or its duration or failure depends on more than a few comparisons.
    Optional<BsonDocument> statement();

    /// Executes it separately, once; blocks for MongoDB.
    ///
    /// @throws com.mongodb.MongoException if MongoDB refuses it or its outcome is unknown
    O alone();

    /// The outcome of the statement's result, if no further query is needed.
    ///
    /// @throws com.mongodb.MongoWriteException if MongoDB refused it
    Optional<O> outcome(StatementResult result);

    /// The same with a query for why the statement did nothing; retries if the reason no longer applies. Blocks for
    /// MongoDB.
    ///
    /// @throws com.mongodb.MongoException as [#alone()]
    O explained(StatementResult result);

    /// The result of one statement of an `update` or `delete` command.
    sealed interface StatementResult {
        /// It changed, replaced or removed the document.
        record Done() implements StatementResult {}

        /// It created the document.
        record Upserted() implements StatementResult {}

        /// It did nothing: no document matched.
        record NoMatch() implements StatementResult {}

        /// It did nothing: MongoDB refused it.
        record Failed(MongoWriteException reason) implements StatementResult {}
    }
}
