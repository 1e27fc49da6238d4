package org.restheart.mcp;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.RawBsonDocument;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Read;
import org.restheart.http.Content;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Lease;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.DataFacts;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;

/// Sends requests of the REST API on behalf of the caller; the only access to data in this package. Blocks.
/// Thread-safe.
record JudgedCalls(JudgedRequests requests, DataPaths paths) {
    private static final Executor THREADS =
            task -> Thread.ofVirtual().name("mcp-end").start(task);

    /// @throws RefusedCall the same as for a collection that may not be read
    String collection(Request outer, String database, String collection) {
        return paths.ofCollection(outer.connection(), database, collection).orElseThrow(RefusedCall::notVisible);
    }

    String collection(ToolCall call) {
        return collection(call.http(), call.text("database"), call.text("collection"));
    }

    /// Waits for the response.
    ///
    /// @throws ProblemException if the REST API refuses the request or fails
    Response.Ready send(Request outer, JudgedRequest inner) {
        var warned = warned(outer, inner);
        var reading = inner.method().isSafe() ? warned.with(DataWrite.FORBIDDEN, true) : warned;
        return switch (requests.make(outer, reading)) {
            case Response.Ready ready -> ready;
            case Response.Deferred<?> deferred -> {
                var arrived = new CompletableFuture<Supplier<Response.Ready>>();
                var isGone = new AtomicBoolean();
                deferred.awaitedBy(withdrawal -> {
                    if (isGone.get()) {
                        var _ = withdrawal.getAsBoolean();
                    }
                });
                deferred.whenThere(arrived::complete);
                try {
                    yield arrived.get().get();
                } catch (InterruptedException _) { // since the client has disconnected
                    isGone.set(true);
                    // the cursor of a streamed response would stay open
                    var _ = arrived.thenAcceptAsync(late -> late.get().content().abandon(), THREADS);
                    Thread.currentThread().interrupt();
                    throw RefusedCall.gone();
                } catch (ExecutionException e) {
                    throw new IllegalStateException(e); // completed only with values
                }
            }
        };
    }

    /// @throws ProblemException 503 if the caller may not have the memory for what is made of it now
    static BsonDocument document(ToolCall call, Response.Ready answer) {
        var document = answer.said(BsonDocument.class).orElseThrow();
        if (document instanceof RawBsonDocument raw && raw.getByteLength() > Lease.SMALL) {
            call.http().lease().hold(Content.CONVERTED * raw.getByteLength());
        }
        return document;
    }

    /// The request, whose warnings are those of the call.
    private static JudgedRequest warned(Request outer, JudgedRequest inner) {
        return outer.attribute(FoundWarnings.KEY)
                .map(found -> inner.with(FoundWarnings.KEY, found))
                .orElse(inner);
    }

    /// As [#send], for an aggregation or a change stream that the collection declares.
    ///
    /// @param argument that has its name
    /// @throws RefusedCall if there is no such one
    Response.Ready sendToDeclared(ToolCall call, String argument, JudgedRequest inner) {
        try {
            return send(call.http(), inner);
        } catch (ProblemException e) {
            throw e.problem().code() == ProblemCode.NOT_FOUND
                    ? new RefusedCall(
                            "refused",
                            call.namespace() + " declares none with the " + argument + " "
                                    + Fence.quoted(call.text(argument))
                                    + "; list-collections names the streams and aggregations of collections")
                    : e;
        }
    }

    /// The facts about the target of a request; empty if the caller may not send it, or the target does not exist.
    Optional<DataFacts> facts(Request outer, Operation operation, String collection, String name, Via via) {
        return JudgedRequests.unlessRefused(
                () -> requests.facts(outer, JudgedRequest.of(operation, collection, name, Map.of(), via)));
    }

    /// Why rules refuse a call. Callers who may read the collection are told which right the tool needs besides; for
    /// others the collection may not exist.
    RefusedCall notPermitted(ToolCall call) {
        return call.tool()
                .right()
                .filter(_ -> isReadable(call))
                .map(right -> new RefusedCall(
                        "not-permitted",
                        call.tool().toolName() + " of " + Fence.quoted(call.text("collection"))
                                + " needs a permission with " + right))
                .orElseGet(RefusedCall::notVisible);
    }

    private boolean isReadable(ToolCall call) {
        try {
            return paths.ofCollection(call.http().connection(), call.text("database"), call.text("collection"))
                    .flatMap(path -> facts(call.http(), Read.FIND, path, "", Tool.FIND.via()))
                    .isPresent();
        } catch (ProblemException _) { // MongoDB is away
            return false;
        }
    }

    /// The specifications of all indexes, each with its name as `_id`.
    BsonArray indexes(ToolCall call, String collection) {
        return send(call.http(), call.request(Read.LIST, collection, Map.of()))
                .said(BsonArray.class)
                .orElseGet(BsonArray::new);
    }

    /// The number of documents that match; empty if the caller may not count, or MongoDB refuses.
    Optional<Long> countIfAllowed(
            ToolCall call, String collection, Map<DataParameter, String> parameters, Duration timeLimit) {
        return JudgedRequests.unlessRefused(() -> Optional.of(count(call, collection, parameters, 0, timeLimit)));
    }

    /// @param most the largest count; 0 for no limit
    long count(ToolCall call, String collection, Map<DataParameter, String> parameters, int most, Duration timeLimit) {
        var inner = call.request(Read.COUNT, collection, parameters).with(JudgedRequest.TIME_LIMIT, timeLimit);
        var answer = send(call.http(), most > 0 ? inner.with(Slice.KEY, new Slice(0, most)) : inner);
        var number = (BsonNumber) document(call, answer).get("_size");
        return number == null ? 0 : number.longValue();
    }
}
