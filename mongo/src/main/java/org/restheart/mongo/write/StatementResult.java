package org.restheart.mongo.write;

import com.mongodb.MongoWriteException;

/// The result of one statement of an `update` or `delete` command.
public sealed interface StatementResult {
    /// It changed, replaced or removed the document.
    record Done() implements StatementResult {}

    /// It created the document.
    record Upserted() implements StatementResult {}

    /// It did nothing: no document matched.
    record NoMatch() implements StatementResult {}

    /// It did nothing: MongoDB refused it.
    record Failed(MongoWriteException reason) implements StatementResult {}
}
