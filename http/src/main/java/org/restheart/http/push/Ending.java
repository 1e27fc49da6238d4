package org.restheart.http.push;

/// Why the server ends a connection, with the WebSocket close code (RFC 6455, 7.4, and the registry of close codes at
/// IANA; from 4400, those of the sub-protocol `graphql-transport-ws`).
public enum Ending {
    COMPLETE(1000, "everything has been sent"),
    SHUTDOWN(1001, "the server is stopping"),
    PERMISSION_LOST(1008, "the credentials have ended"),
    FAILED(1011, "the stream failed"),
    REDEFINED(1012, "the stream was redefined"),
    COLLECTION_GONE(1012, "the collection does not exist any more"),
    TOO_SLOW(1013, "too many messages were waiting: come back and resume"),
    BAD_MESSAGE(4400, "no message of graphql-transport-ws: see its type, id (1 to 200 characters) and payload"),
    UNAUTHORIZED(4401, "Unauthorized: connection_init comes first"),
    INITIALISATION_TIMEOUT(4408, "Connection initialization timeout"),
    SUBSCRIBER_EXISTS(4409, "Subscriber already exists"),
    TOO_MANY_REQUESTS(4429, "Too many requests");

    private final int code;
    private final String reason;

    Ending(int code, String reason) {
        this.code = code;
        this.reason = reason;
    }

    public int code() {
        return code;
    }

    /// ASCII, at most 123 bytes.
    public String reason() {
        return reason;
    }
}
