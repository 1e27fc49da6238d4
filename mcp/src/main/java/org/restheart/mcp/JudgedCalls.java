package org.restheart.mcp;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.judged.DataFacts;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;

/// The one way to data: requests of the REST API, carried out for the caller on a thread that may wait. Thread-safe.
final class JudgedCalls {
    private final JudgedRequests requests;
    private final DataPaths paths;

    JudgedCalls(JudgedRequests requests, DataPaths paths) {
        this.requests = requests;
        this.paths = paths;
    }

    DataPaths paths() {
        return paths;
    }

    /// The path of a collection.
    ///
    /// @throws RefusedCall as for one that may not be read
    String collection(Request outer, String database, String collection) {
        return paths.ofCollection(outer.connection(), database, collection).orElseThrow(Refusals::notVisible);
    }

    String collection(ToolCall call) {
        return collection(call.http(), call.text("database"), call.text("collection"));
    }

    /// Waits for the response.
    ///
    /// @throws ProblemException for whatever the REST API refuses or fails at
    Response.Ready send(Request outer, JudgedRequest inner) {
        var reading = inner.method().isSafe() ? inner.with(DataWrite.FORBIDDEN, true) : inner;
        return switch (requests.make(outer, reading)) {
            case Response.Ready ready -> ready;
            case Response.Deferred<?> deferred -> {
                var arrived = new CompletableFuture<Supplier<Response.Ready>>();
                deferred.whenThere(arrived::complete);
                yield arrived.join().get();
            }
        };
    }

    /// What is known of a request that the caller may make; empty if it may not, or nothing is there.
    Optional<DataFacts> facts(Request outer, Method method, String target, Via via) {
        var facts = new AtomicReference<DataFacts>();
        var inner = JudgedRequest.at(method, target, Map.of(), via)
                .with(DataFacts.ASKED, facts::set)
                .with(DataWrite.KEY, new DataWrite(DataWrite.Kind.AS_REQUESTED, _ -> {}));
        try {
            send(outer, inner);
        } catch (ProblemException e) {
            if (e.problem().status() >= 500) {
                throw e;
            }
            return Optional.empty();
        }
        return Optional.ofNullable(facts.get());
    }
}
