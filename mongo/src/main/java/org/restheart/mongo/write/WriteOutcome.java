package org.restheart.mongo.write;

import java.util.Optional;

public sealed interface WriteOutcome {
    /// The document was inserted.
    record Created() implements WriteOutcome {}

    record Changed() implements WriteOutcome {}

    /// There is no such document, or none that the filters match.
    record Missing() implements WriteOutcome, DeleteOutcome {}

    /// The write violates a unique index.
    ///
    /// @param message MongoDB's
    record Duplicate(String message) implements WriteOutcome {}

    /// The precondition did not hold.
    sealed interface Refused extends WriteOutcome, DeleteOutcome {}

    /// The stored tag is not one that the client named, or one that it excluded.
    ///
    /// @param current empty for a document without a tag
    /// @param violated what did not hold
    record Stale(Optional<String> current, Precondition violated) implements Refused {}

    /// The required tag is missing in the request.
    record TagRequired(String current) implements Refused {}

    /// The outcome of the removal of one document; shares [WriteOutcome]'s refusals.
    sealed interface DeleteOutcome permits DeleteOutcome.Deleted, WriteOutcome.Missing, WriteOutcome.Refused {
        record Deleted() implements DeleteOutcome {}
    }
}
