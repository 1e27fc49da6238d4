package org.restheart.graphql;

import org.restheart.http.Content;
import org.restheart.http.Response;

/// The result of one execution, or why there is none. Immutable by agreement.
///
/// @param status of the response
/// @param json an object with `data`, `errors`, or both; one line
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
record QueryOutcome(int status, byte[] json) implements OperationResult {
    private static final String MEDIA_TYPE = "application/graphql-response+json";

    Response.Ready response() {
        return Response.status(status).with(MEDIA_TYPE, Content.Bytes.of(json));
    }
}
