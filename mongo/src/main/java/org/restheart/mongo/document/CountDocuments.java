package org.restheart.mongo.document;

import java.time.Duration;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.find.CountQuery;
import org.restheart.mongo.find.DriverFinder;

/// `GET /{db}/{collection}/_size`: how many documents match.
public final class CountDocuments implements DataHandler {
    private final DriverFinder documents;
    private final Queries queries;

    public CountDocuments(DriverFinder documents, Duration timeLimit) {
        this.documents = documents;
        this.queries = new Queries(timeLimit);
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var query = queries.count(request);
        var size = new BsonDocument("_size", new BsonInt64(documents.count(query)));
        return EntityTags.add(
                        JsonResponses.of(request, 200, size), request.resource().properties())
                .with(CountStrategy.HEADER, CountStrategy.of(query));
    }

    /// The header that describes the accuracy of a count.
    static final class CountStrategy {
        static final String HEADER = "X-Count-Strategy";

        /// The number of documents on all pages. A header, since an array has no place for it.
        static final String TOTAL = "X-Total-Count";

        private CountStrategy() {}

        static String of(CountQuery query) {
            return query.estimated() ? "estimated" : "exact";
        }
    }
}
