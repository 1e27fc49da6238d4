package org.restheart.mcp;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.bson.fields.QueryPlan;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.Answer;

/// Refuses queries that would examine many documents because no index serves them. Counts only documents that
/// are visible to the caller, so that a refusal reveals nothing about others. Thread-safe.
///
/// @param limit the most documents that may be examined without an index; empty if all may
record ScanGuard(Optional<Integer> limit, JudgedCalls calls) {
    private static final Duration ASKING = Duration.ofSeconds(1);
    private static final int MAX_NAMES = 20;

    /// @param query as it would be sent
    /// @throws RefusedCall naming the indexes that there are
    void check(ToolCall call, String collection, JudgedRequest query) {
        if (limit.isEmpty()) {
            return;
        }
        var known = plan(call, query);
        if (known.isEmpty() || !scans(query, known.get()) || !isLarge(call, collection)) {
            return;
        }
        var names = indexes(call, collection);
        throw new RefusedCall(
                "scan",
                "no index serves this, and the collection is large: filter and sort by fields of an index"
                        + (names.isEmpty() ? "" : " (" + String.join(", ", names) + ")"));
    }

    /// Of any query as of a pipeline: what is sorted is all, too.
    private boolean scans(JudgedRequest query, BsonDocument known) {
        boolean isPage = query.method() != Method.POST; // whatever its size
        var plan = QueryPlan.ofPipeline(known, isPage ? Long.MAX_VALUE : limit.orElseThrow());
        return plan.scans() || plan.unitesScan();
    }

    /// The plan; empty if planning exceeds the time limit: MongoDB executes candidate plans to compare them.
    private Optional<BsonDocument> plan(ToolCall call, JudgedRequest query) {
        try {
            return calls.send(call.http(), query.with(new Answer.Plan(false)).with(JudgedRequest.TIME_LIMIT, ASKING))
                    .said(BsonDocument.class);
        } catch (ProblemException e) {
            if (e.problem().code() != ProblemCode.QUERY_TIMED_OUT) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private boolean isLarge(ToolCall call, String collection) {
        int most = limit.orElseThrow();
        try {
            return calls.count(call, collection, Map.of(), most + 1, ASKING) > most;
        } catch (ProblemException e) {
            if (e.problem().code() == ProblemCode.QUERY_TIMED_OUT) {
                return true;
            }
            throw e;
        }
    }

    private List<String> indexes(ToolCall call, String collection) {
        try {
            return calls.indexes(call, collection).stream()
                    .limit(MAX_NAMES)
                    .map(index ->
                            Fence.quoted(index.asDocument().getString("_id").getValue()))
                    .toList();
        } catch (ProblemException _) {
            return List.of(); // not visible to the caller
        }
    }
}
