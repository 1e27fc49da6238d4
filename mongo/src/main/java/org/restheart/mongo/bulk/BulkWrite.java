package org.restheart.mongo.bulk;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.WriteModel;
import java.util.List;
import java.util.Set;
import org.bson.RawBsonDocument;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataRequest;

/// One statement about many documents, sent as a bulk write, so that its errors have the shape of one.
final class BulkWrite {
    private BulkWrite() {}

    static Response.Ready run(
            DataRequest request, MongoCollection<RawBsonDocument> collection, WriteModel<RawBsonDocument> statement) {
        try {
            var result = collection.bulkWrite(List.of(statement));
            return result.wasAcknowledged()
                    ? BulkResponses.of(request, BulkReport.of(result, List.of()))
                    : BulkResponses.unacknowledged(request);
        } catch (MongoBulkWriteException e) {
            var report = BulkReport.of(e.getWriteResult(), BulkReport.errors(e, Set.of()));
            return BulkResponses.of(request, report);
        }
    }
}
