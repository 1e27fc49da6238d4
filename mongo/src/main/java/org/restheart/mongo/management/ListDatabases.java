package org.restheart.mongo.management;

import java.util.List;
import org.bson.BsonDocument;
import org.restheart.bson.BsonTexts;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.format.DocumentContent;
import org.restheart.mongo.hal.HalPages;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.parameter.Paging;
import org.restheart.mongo.parameter.Representation;

/// `GET /`: the names of all databases; in HAL, with their properties.
public final class ListDatabases implements DataHandler {
    private final Catalog catalog;
    private final Metadata metadata;

    public ListDatabases(Catalog catalog, Metadata metadata) {
        this.catalog = catalog;
        this.metadata = metadata;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var all = catalog.databases();
        var page = page(all, request.parameters().find().paging());
        return request.parameters().format().representation() == Representation.STANDARD
                ? JsonResponses.of(request, 200, BsonTexts.array(page))
                : DocumentContent.response(children(request, page), HalPages.root(request, all.size()));
    }

    private List<BsonDocument> children(DataRequest request, List<String> names) {
        return names.stream()
                .map(name -> GetProperties.withId(
                        metadata.db(request.http(), name, false).properties().orElseGet(BsonDocument::new), name))
                .toList();
    }

    static List<String> page(List<String> names, Paging paging) {
        return names.stream().skip(paging.skip()).limit(paging.pageSize()).toList();
    }
}
