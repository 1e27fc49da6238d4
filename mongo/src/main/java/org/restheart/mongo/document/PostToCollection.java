package org.restheart.mongo.document;

import org.restheart.http.Response;
import org.restheart.mongo.DataHandler;
import org.restheart.mongo.DataRequest;
import org.restheart.mongo.content.ContentSize;

/// `POST /{db}/{collection}`: an object is one document, an array is many.
public final class PostToCollection implements DataHandler {
    private final DataHandler one;
    private final DataHandler many;

    public PostToCollection(DataHandler one, DataHandler many) {
        this.one = one;
        this.many = many;
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        return request.content().isArray() ? many.handle(request) : one.handle(request);
    }
}
