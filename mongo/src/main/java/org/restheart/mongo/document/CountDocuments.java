package org.restheart.mongo.document;

import java.time.Duration;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.find.Documents;

/// `GET /{db}/{collection}/_size`: how many documents match.
public final class CountDocuments implements DataHandler {
    private final Documents documents;
    private final Queries queries;

    public CountDocuments(Documents documents, Duration timeLimit) {
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
}
