package org.restheart.mongo.write;

/// What became of the removal of one document; shares [WriteOutcome]'s reasons why not.
public sealed interface DeleteOutcome permits DeleteOutcome.Deleted, WriteOutcome.Missing, WriteOutcome.Refused {
    record Deleted() implements DeleteOutcome {}
}
