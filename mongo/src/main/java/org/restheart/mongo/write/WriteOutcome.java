package org.restheart.mongo.write;

import java.util.Optional;

/// The outcome of a write of one document.
public sealed interface WriteOutcome {
    /// The document was inserted.
    record Created() implements WriteOutcome {}

    record Changed() implements WriteOutcome {}

    record Deleted() implements WriteOutcome {}

    /// There is no such document, or none that the filters match.
    record Missing() implements WriteOutcome {}

    /// The write violates a unique index.
    ///
    /// @param message MongoDB's
    record Duplicate(String message) implements WriteOutcome {}

    /// The precondition did not hold.
    sealed interface Refused extends WriteOutcome {}

    /// The stored tag is not one that the client named, or one that it excluded.
    ///
    /// @param current empty for a document without a tag
    /// @param violated what did not hold
    record Stale(Optional<String> current, Precondition violated) implements Refused {}

    record TagRequired(String current) implements Refused {}
}
