package org.restheart.mcp;

import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.Request;

/// Records calls in the audit log and the metrics, and limits their number. Thread-safe.
record CallRecords(CallLimits limits, AuditLog audit, McpMeters meters) {
    /// The record of a call that begins now.
    ///
    /// @param name of the tool, or the method of a request without one
    /// @param arguments as sent
    CallRecord begin(
            Request http, RpcRequest rpc, PresentedCredential credential, String name, BsonDocument arguments) {
        return new CallRecord(audit, meters, new AuditLog.Call(http, Optional.of(rpc), credential, name, arguments));
    }

    /// Counts a call against the limits of the caller until the result is closed.
    ///
    /// @throws RefusedCall naming the time to wait
    CallLimits.Running count(PresentedCredential credential) {
        return limits.begin(credential.caller());
    }
}
