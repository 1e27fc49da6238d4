package org.restheart.mongo.write;

/// The outcome of the removal of one document; shares [WriteOutcome]'s refusals.
public sealed interface DeleteOutcome permits DeleteOutcome.Deleted, WriteOutcome.Missing, WriteOutcome.Refused {
    record Deleted() implements DeleteOutcome {}
}
