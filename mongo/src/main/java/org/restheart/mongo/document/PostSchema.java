package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.write.Creation;
import org.restheart.mongo.write.NewIds;

/// `POST /{db}/_schemas`: adds a JSON Schema to the store, one at a time.
public final class PostSchema implements DataHandler {
    private final Creation post;

    public PostSchema(Creation post) {
        this.post = post;
    }

    @Override
    public Response handle(DataRequest request) {
        ContentSize.check(request);
        if (request.content().isArray()) {
            throw Problem.of(CONTENT_INVALID, "schemas are stored one at a time, not as an array")
                    .raise();
        }
        return post.handle(request, NewIds.FRESH);
    }
}
