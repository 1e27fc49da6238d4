package org.restheart.rest.document;

import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.rest.content.ContentSize;
import org.restheart.rest.content.DataContent;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.idempotency.Creation;
import org.restheart.rest.idempotency.Creation.NewIds;
import org.restheart.rest.idempotency.KeyedPost;

/// `POST /{db}/{collection}` by what its content is, and whether it has an `Idempotency-Key`. Thread-safe.
///
/// @param documents of one request, see [#byShape]
/// @param keyed the same with an `Idempotency-Key`
/// @param lines of contents that are read while documents are written
public record PostToCollection(Creation documents, KeyedPost keyed, DataHandler lines) implements DataHandler {
    /// An object is one document, an array is many.
    public static Creation byShape(Creation one, Creation many) {
        return (request, ids) -> request.content().isArray() ? many.handle(request, ids) : one.handle(request, ids);
    }

    /// `POST /{db}/_schemas`: adds a JSON Schema to the store, one at a time.
    public static DataHandler ofSchema(Creation one) {
        return request -> {
            ContentSize.check(request);
            if (request.content().isArray()) {
                throw new ProblemException(
                        ProblemCode.CONTENT_INVALID, "schemas are stored one at a time, not as an array");
            }
            return one.handle(request, NewIds.of(request.http()));
        };
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        if (DataContent.isMany(request.http())
                && request.http().require(RequestContent.KEY).isUnread()) {
            return lines.handle(request);
        }
        return KeyedPost.isKeyed(request.http())
                ? keyed.handle(request)
                : documents.handle(request, NewIds.of(request.http()));
    }
}
