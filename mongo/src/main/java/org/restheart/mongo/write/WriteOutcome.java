package org.restheart.mongo.write;

import java.util.Optional;

/// What became of a write to one document.
public sealed interface WriteOutcome {
    /// There was none; now there is.
    record Created() implements WriteOutcome {}

    record Changed() implements WriteOutcome {}

    /// No such document, or not one that the filters match.
    record Missing() implements WriteOutcome, DeleteOutcome {}

    /// A unique index has such a document already.
    ///
    /// @param message MongoDB's
    record Duplicate(String message) implements WriteOutcome {}

    /// The precondition did not hold.
    sealed interface Refused extends WriteOutcome, DeleteOutcome {}

    /// Another tag than the client named.
    ///
    /// @param current empty for a document without a tag
    record Stale(Optional<String> current) implements Refused {}

    /// The client must name the tag and did not.
    record TagRequired(String current) implements Refused {}
}
