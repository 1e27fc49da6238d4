package org.restheart.mongo.bulk;

import com.mongodb.client.model.DeleteManyModel;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;

/// `DELETE /{db}/{collection}/*`: removes every document that the filter matches.
public final class DeleteDocuments implements DataHandler {
    private final Collections collections;

    public DeleteDocuments(Collections collections) {
        this.collections = collections;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        return BulkWrite.run(request, collections.of(request), new DeleteManyModel<>(request.writeFilter()));
    }
}
