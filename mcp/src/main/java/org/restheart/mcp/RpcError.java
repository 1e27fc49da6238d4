package org.restheart.mcp;

import java.util.Optional;
import org.bson.BsonDocument;

/// A JSON-RPC error. Without stack trace, since it is no defect.
final class RpcError extends RuntimeException {
    static final int UNREADABLE = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int UNKNOWN_METHOD = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL = -32603;
    static final int HEADER_MISMATCH = -32020;
    static final int UNSUPPORTED_VERSION = -32022;

    /// The code of an unknown resource in legacy revisions of the protocol.
    static final int UNKNOWN_RESOURCE = -32002;

    private final int status;
    private final int code;
    private final transient Optional<BsonDocument> data;

    private RpcError(int status, int code, String message, Optional<BsonDocument> data) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
        this.data = data;
    }

    static RpcError of(int status, int code, String message) {
        return new RpcError(status, code, message, Optional.empty());
    }

    static RpcError invalidParams(String message) {
        return of(200, INVALID_PARAMS, message);
    }

    RpcError with(BsonDocument more) {
        return new RpcError(status, code, text(), Optional.of(more));
    }

    int status() {
        return status;
    }

    int code() {
        return code;
    }

    String text() {
        return String.valueOf(getMessage());
    }

    Optional<BsonDocument> data() {
        return data;
    }
}
