package org.restheart.data;

import java.util.List;
import java.util.Optional;
import org.bson.RawBsonDocument;
import org.restheart.data.Operation.Authorized;
import org.restheart.data.Operation.Get;

/// Carries out operations, in layers that all have this form: one speaks to the driver, one merges what arrives
/// together.
/// A new kind of operation does not compile until each of them has an answer. Never blocks; thread-safe.
///
/// Flows fail with the exceptions of the driver, if MongoDB refuses the operation or cannot be reached, and with a
/// refusal
/// if the operation cannot be carried out within the caller's access.
public interface Executor {
    Flow<Found> get(Authorized<Get> read);

    /// As [#get], for several that differ only in their ids: they are sent together.
    ///
    /// @param reads at least one
    List<Flow<Found>> getAll(List<Authorized<Get>> reads);

    /// @param document empty if there is none that the caller may see
    /// @param sharing how many operations the command has served; 0 for one that shares none
    record Found(Optional<RawBsonDocument> document, int sharing) {}
}
