package org.restheart.mongo.write;

import com.mongodb.WriteError;

/// The outcome of the insert of one document.
public sealed interface InsertOutcome {
    record Inserted() implements InsertOutcome {}

    /// MongoDB refused this document: a duplicate key, a failed validation.
    record Refused(WriteError error) implements InsertOutcome {}
}
