package org.restheart.mongo.document;

import java.time.Duration;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.exchange.Json;
import org.restheart.mongo.find.Finder;

/// `GET /{db}/{collection}/_size`: how many documents match.
public final class CountDocuments implements DataHandler {
    private final Finder finder;
    private final Queries queries;

    public CountDocuments(Finder finder, Duration timeLimit) {
        this.finder = finder;
        this.queries = new Queries(timeLimit);
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var query = queries.count(request);
        var size = new BsonDocument("_size", new BsonInt64(finder.count(query)));
        return EntityTags.add(Json.of(request, 200, size), request.resource().properties())
                .with(CountStrategy.HEADER, CountStrategy.of(query));
    }
}
