package org.restheart.http;

/// Every kind of problem that is reported to clients, with its status. The name is the stable code of
/// `application/problem+json` answers; docs/reference/errors.md has a row for each.
public enum ProblemCode {
    BAD_REQUEST(400),
    PARAMETER_INVALID(400),
    CONTENT_INVALID(400),
    QUERY_INVALID(400),
    MAX_AFFECTED_EXCEEDED(400),
    EMBED_TOO_LARGE(400),
    NO_INDEX(400),
    AUTHENTICATION_REQUIRED(401),
    /// An index that cannot be dropped. Not about credentials: the status is that of earlier versions.
    INDEX_PROTECTED(401),
    FORBIDDEN(403),
    RESERVED_NAME(403),
    NOT_FOUND(404),
    NAMESPACE_NOT_FOUND(404),
    METHOD_NOT_ALLOWED(405),
    QUERY_TIMED_OUT(408),
    CONTENT_TIMED_OUT(408),
    CONFLICT(409),
    DUPLICATE_KEY(409),
    ETAG_REQUIRED(409),
    HISTORY_LOST(410),
    PRECONDITION_FAILED(412),
    CONTENT_TOO_LARGE(413),
    CONTENT_TYPE_UNSUPPORTED(415),
    UNPROCESSABLE(422),
    TOO_MANY_REQUESTS(429),
    INTERNAL(500),
    NOT_IMPLEMENTED(501),
    NOTHING_BOUND(502),
    DATABASE_UNAVAILABLE(503),
    OVERLOADED(503),
    TARGET_UNAVAILABLE(503),
    TARGET_TIMED_OUT(504);

    private final int status;

    ProblemCode(int status) {
        this.status = status;
    }

    public int status() {
        return status;
    }

    public String title() {
        return StatusText.of(status);
    }
}
