package org.restheart.mongo.bulk;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.WriteModel;
import java.util.List;
import java.util.Set;
import org.bson.RawBsonDocument;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.write.BulkWrites;

/// One statement about many documents, sent as a bulk write, so that its errors have the format of bulk writes.
final class BulkWrite {
    private BulkWrite() {}

    static Response.Ready run(
            DataRequest request, MongoCollection<RawBsonDocument> collection, WriteModel<RawBsonDocument> statement) {
        try {
            var result = BulkWrites.inOrder(request.session(), collection, List.of(statement));
            return result.wasAcknowledged()
                    ? BulkResponses.of(request, BulkReport.of(request, result, List.of()))
                    : BulkResponses.unacknowledged(request);
        } catch (MongoBulkWriteException e) {
            var report = BulkReport.of(request, e.getWriteResult(), BulkReport.errors(request, e, Set.of()));
            return BulkResponses.of(request, report);
        }
    }
}
