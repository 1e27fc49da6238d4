package org.restheart.mongo.bulk;

import com.mongodb.client.model.DeleteManyModel;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;

/// `DELETE /{db}/{collection}/*`: removes every document that the filter matches.
public final class DeleteDocuments implements DataHandler {
    private final Collections collections;
    private final BulkWrite bulk;

    public DeleteDocuments(Collections collections, BulkWrite bulk) {
        this.collections = collections;
        this.bulk = bulk;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        return bulk.run(request, collections.of(request), new DeleteManyModel<>(request.writeFilter()));
    }
}
