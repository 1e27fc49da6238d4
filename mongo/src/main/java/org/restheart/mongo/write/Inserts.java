package org.restheart.mongo.write;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.WriteError;
import java.util.List;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Inserts single documents. Thread-safe.
@FunctionalInterface
public interface Inserts {
    /// A document to insert and where. Immutable.
    ///
    /// @param document with its `_id`, at most as large as MongoDB takes
    record Insert(MongoNamespace namespace, WriteConcern writeConcern, RawBsonDocument document) {}

    /// The outcome of the insert of one document.
    sealed interface Outcome {
        record Inserted() implements Outcome {}

        /// MongoDB refused this document: a duplicate key, a failed validation.
        record Refused(WriteError error) implements Outcome {}
    }

    /// Inserts, separately or coalesced.
    ///
    /// @param request determines whether the insert may block here
    /// @param answer builds the response; called once, on the thread that completes the outcome, which it must
    ///     not block
    /// @throws com.mongodb.MongoException if the outcome is unknown, or applies to more than this document; a
    ///     deferred response fails with it
    Response insert(Request request, Insert insert, Function<Outcome, Response.Ready> answer);

    /// Each insert in a separate command, which waits for a limited time.
    static Inserts limited(LimitedWrites limited) {
        return (request, insert, answer) -> {
            request.requireThread();
            return answer.apply(outcome(
                    limited.insert(insert.namespace(), insert.writeConcern(), List.of(insert.document()), false)));
        };
    }

    /// @param errors of the one document, at most one
    static Outcome outcome(List<? extends WriteError> errors) {
        return errors.isEmpty() ? new Outcome.Inserted() : new Outcome.Refused(errors.getFirst());
    }
}
