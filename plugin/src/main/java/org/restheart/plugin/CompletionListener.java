package org.restheart.plugin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.bson.BsonValue;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Caller;
import org.restheart.http.access.DataTarget;
import org.restheart.http.judged.DataWrite;

/// Hears of requests that have succeeded, at most once, and delays none. What waits for listeners is
/// bounded: beyond, the newest is dropped, which the log says. For at least once follow a change stream of
/// MongoDB.
@FunctionalInterface
public interface CompletionListener {
    /// Called on a virtual thread, in the order of the answers of this gateway.
    void completed(Completed request) throws Exception;

    /// A request that has been answered. Of a transaction within one request its operations, when it is
    /// committed. Those of a client's own transaction, which it may still abort, are not told; requests
    /// that are repeated with their `Idempotency-Key` are told again.
    ///
    /// @param id of the request
    /// @param target of a data request
    /// @param status below 400
    /// @param headers of the response
    /// @param bytes of its content; empty if that is streamed
    /// @param duration from access rules to the answer, without what sending it takes
    /// @param report what a write of many documents, or an insert, has done
    record Completed(
            String id,
            Method method,
            RequestPath path,
            Caller caller,
            Optional<DataTarget> target,
            int status,
            Fields headers,
            OptionalLong bytes,
            Duration duration,
            Optional<DataWrite.Report> report) {

        /// The ids of the documents that it has read, inserted, changed or deleted by their ids.
        public List<BsonValue> ids() {
            return Stream.of(
                            target.flatMap(DataTarget::id).stream(),
                            report.stream().flatMap(done -> done.inserted().stream()),
                            report.flatMap(DataWrite.Report::upserted).stream())
                    .flatMap(ids -> ids)
                    .distinct()
                    .toList();
        }
    }
}
