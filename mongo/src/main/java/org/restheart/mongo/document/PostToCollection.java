package org.restheart.mongo.document;

import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.idempotency.Creation;
import org.restheart.mongo.idempotency.Creation.NewIds;
import org.restheart.mongo.idempotency.KeyedPost;

/// `POST /{db}/{collection}`: an object is one document, an array is many.
public final class PostToCollection implements DataHandler {
    private final Creation creation;
    private final DataHandler lines;
    private final DataHandler keyed;

    /// @param lines for a document in each line
    /// @param keyed for requests with an `Idempotency-Key`
    public PostToCollection(Creation creation, DataHandler lines, DataHandler keyed) {
        this.creation = creation;
        this.lines = lines;
        this.keyed = keyed;
    }

    /// By the shape of the content.
    public static Creation byShape(Creation one, Creation many) {
        return (request, ids) -> request.content().isArray() ? many.handle(request, ids) : one.handle(request, ids);
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        if (DataContent.isMany(request.http())
                && request.http().require(RequestContent.KEY).isUnread()) {
            return lines.handle(request);
        }
        return KeyedPost.isKeyed(request.http()) ? keyed.handle(request) : creation.handle(request, NewIds.FRESH);
    }
}
