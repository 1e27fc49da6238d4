package org.restheart.mcp;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.module.PresentedCredential;

/// Records calls in the audit log and the metrics, and limits their number. Thread-safe.
///
/// @param limits of calls
/// @param lists limits of lists
record CallRecords(CallLimits limits, CallLimits lists, ToolAuditLog audit, McpMeters meters) {
    /// The record of a call that begins now.
    ///
    /// @param name of the tool, or the method of a request without one
    /// @param arguments as sent
    CallRecord begin(RpcRequest rpc, String name, BsonDocument arguments) {
        return new CallRecord(audit, meters, ToolAuditLog.Call.of(rpc, name, arguments));
    }

    /// Counts and logs a request that is refused before its message is read.
    void refused(Request http, PresentedCredential credential, String reason) {
        refused(new ToolAuditLog.Call(http, Optional.empty(), credential, "", new BsonDocument()), reason);
    }

    private void refused(ToolAuditLog.Call call, String reason) {
        meters.refused(reason);
        audit.log(call, reason, Map.of());
    }

    /// Counts a call against the limits of the caller until the result is closed.
    ///
    /// @throws RefusedCall naming the time to wait
    CallLimits.Running count(PresentedCredential credential) {
        return limits.begin(credential.caller());
    }

    /// A list, within the caller's limits of lists.
    ///
    /// @throws RpcError naming the time to wait
    BsonDocument listed(RpcRequest rpc, Supplier<BsonDocument> list) {
        try (var _ = lists.begin(rpc.credential().caller())) {
            return list.get();
        } catch (RefusedCall refused) {
            refused(ToolAuditLog.Call.of(rpc, rpc.method(), new BsonDocument()), refused.reason());
            throw RpcError.of(200, RpcError.INVALID_PARAMS, refused.text());
        }
    }

    /// The record of one call of a tool or resource, from its beginning until it is closed; then it is written to the
    /// audit log and to the metrics. Without another outcome the call has failed. Confined to one request.
    static final class CallRecord implements AutoCloseable {
        private final ToolAuditLog audit;
        private final McpMeters meters;
        private final ToolAuditLog.Call call;
        private final Map<String, Long> numbers = new LinkedHashMap<>();
        private final long began = System.nanoTime();
        private String outcome = "failed";
        private String counted = "failed";

        CallRecord(ToolAuditLog audit, McpMeters meters, ToolAuditLog.Call call) {
            this.audit = audit;
            this.meters = meters;
            this.call = call;
        }

        void done() {
            outcome = "done";
            counted = outcome;
        }

        /// A result of a tool, which may be a question to the user.
        void done(ToolResult result) {
            numbers.put("documents", (long) result.documents());
            numbers.put("bytes", (long) result.bytes());
            meters.result(result);
            outcome = result.input().isPresent() || result.structured().containsKey("confirmation") ? "asked" : "done";
            counted = outcome;
        }

        void refused(RefusedCall refused) {
            outcome = refused.reason();
            counted = "refused";
            meters.refused(refused.reason());
        }

        /// The result of a call; its refusal or failure is recorded.
        ///
        /// @param refusal with which a client is told of a problem
        /// @throws RefusedCall if it is refused or fails
        <T> T of(Supplier<T> call, Function<Problem, RefusedCall> refusal) {
            try {
                return call.get();
            } catch (RefusedCall refused) {
                refused(refused);
                throw refused;
            } catch (ProblemException failure) {
                var refused = refusal.apply(failure.problem());
                refused(refused);
                if (failure.problem().status() >= 500) {
                    counted = "failed";
                }
                throw refused;
            }
        }

        void malformed() {
            outcome = "malformed";
            counted = "refused";
        }

        @Override
        public void close() {
            long nanos = System.nanoTime() - began;
            numbers.put("milliseconds", nanos / 1_000_000);
            meters.called(call.name(), counted, nanos);
            audit.log(call, outcome, numbers);
        }
    }
}
