package org.restheart.mongo.bulk;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.WriteModel;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.bson.RawBsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.write.BulkWrites;

/// One statement about many documents, sent as a bulk write, so that its errors have the format of bulk writes.
///
/// @param timeLimit after which MongoDB aborts it, if the request has no stricter one; zero for no limit
public record BulkWrite(Duration timeLimit) {
    /// @throws org.restheart.http.ProblemException 408 after the time limit, when some documents may be changed
    Response.Ready run(
            DataRequest request, MongoCollection<RawBsonDocument> collection, WriteModel<RawBsonDocument> statement) {
        try {
            var result = BulkWrites.inOrder(request.session(), limited(request, collection), List.of(statement));
            return result.wasAcknowledged()
                    ? BulkReport.of(request, result, List.of()).response(request)
                    : BulkReport.unacknowledged(request);
        } catch (MongoBulkWriteException e) {
            return BulkReport.of(request, e.getWriteResult(), BulkReport.errors(request, e, Set.of()))
                    .response(request);
        } catch (MongoOperationTimeoutException _) {
            throw outOfTime(limit(request));
        }
    }

    static ProblemException outOfTime(Duration timeLimit) {
        return Problem.of(
                        ProblemCode.QUERY_TIMED_OUT,
                        "the change took longer than " + timeLimit.toMillis()
                                + " ms: some of the documents may have been changed")
                .raise();
    }

    /// A transaction has a limit of its own.
    private MongoCollection<RawBsonDocument> limited(DataRequest request, MongoCollection<RawBsonDocument> collection) {
        boolean inTransaction =
                request.session().filter(ClientSession::hasActiveTransaction).isPresent();
        var limit = limit(request);
        return limit.isZero() || inTransaction
                ? collection
                : collection.withTimeout(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// The stricter one of the server's and the request's own limit; zero for none.
    private Duration limit(DataRequest request) {
        return request.readSettings(timeLimit).timeLimit();
    }
}
