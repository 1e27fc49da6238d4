package org.restheart.mcp;

import java.util.LinkedHashMap;
import java.util.Map;
import org.restheart.http.Problem;

/// The record of one call of a tool or resource, from its beginning until it is closed; then it is written to the audit
/// log and to the metrics. Without another outcome the call has failed. Confined to one request.
final class CallRecord implements AutoCloseable {
    private final AuditLog audit;
    private final McpMeters meters;
    private final AuditLog.Call call;
    private final Map<String, Long> numbers = new LinkedHashMap<>();
    private final long began = System.nanoTime();
    private String outcome = "failed";
    private String counted = "failed";

    CallRecord(AuditLog audit, McpMeters meters, AuditLog.Call call) {
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

    /// @param told what the client is told of the problem
    void refused(RefusedCall told, Problem problem) {
        refused(told);
        if (problem.status() >= 500) {
            counted = "failed";
        }
    }

    void malformed() {
        outcome = "malformed";
        counted = "refused";
    }

    @Override
    public void close() {
        measure();
        audit.log(call, outcome, numbers);
    }

    /// As [#close()], on a thread that must not wait for the log.
    void closeLater() {
        measure();
        audit.logLater(call, outcome, numbers);
    }

    private void measure() {
        long nanos = System.nanoTime() - began;
        numbers.put("milliseconds", nanos / 1_000_000);
        meters.called(call.name(), counted, nanos);
    }
}
