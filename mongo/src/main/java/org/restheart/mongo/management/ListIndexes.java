package org.restheart.mongo.management;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.format.DocumentContent;
import org.restheart.mongo.hal.HalPages;
import org.restheart.mongo.parameter.Representation;

/// `GET /{db}/{collection}/_indexes`: all indexes, each as MongoDB specifies it, with its name as `_id`.
public final class ListIndexes implements DataHandler {
    private final Catalog catalog;

    public ListIndexes(Catalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        List<BsonDocument> indexes = catalog.indexes(request.namespace()).stream()
                .map(ListIndexes::named)
                .toList();
        return request.parameters().format().representation() == Representation.STANDARD
                ? JsonResponses.of(request, 200, new BsonArray(indexes))
                : DocumentContent.response(indexes, HalPages.indexes(request, indexes.size()));
    }

    private static BsonDocument named(BsonDocument specification) {
        var name = specification.remove("name");
        return specification.append("_id", name);
    }
}
