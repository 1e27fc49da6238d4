package org.restheart.mongo.management;

import java.util.List;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.exchange.JsonResponses;

/// `GET /_size` and `GET /{db}/_size`: the number of databases or collections, without reserved ones.
public final class CountNames implements DataHandler {
    private final Function<DataRequest, List<String>> names;

    private CountNames(Function<DataRequest, List<String>> names) {
        this.names = names;
    }

    public static CountNames ofDatabases(Catalog catalog) {
        return new CountNames(_ -> catalog.databases());
    }

    public static CountNames ofCollections(Catalog catalog) {
        return new CountNames(request -> catalog.names(request.path().requireDb()));
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var size = new BsonDocument("_size", new BsonInt64(names.apply(request).size()));
        return EntityTags.add(
                JsonResponses.of(request, 200, size), request.resource().properties());
    }
}
