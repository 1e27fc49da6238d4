package org.restheart.mongo.management;

import java.util.Comparator;
import java.util.List;
import org.bson.BsonDocument;
import org.restheart.bson.BsonTexts;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.format.DocumentContent;
import org.restheart.mongo.hal.HalPages;
import org.restheart.mongo.parameter.Representation;
import org.restheart.mongo.resource.ResourcePath;

/// `GET /{db}`: the names of the database's collections, buckets and schema store; in HAL, with their
/// properties.
public final class ListCollections implements DataHandler {
    private static final List<ResourceKind> KINDS =
            List.of(ResourceKind.FILES_BUCKET, ResourceKind.COLLECTION, ResourceKind.SCHEMA_STORE);

    private final Catalog catalog;

    public ListCollections(Catalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var all = catalog.names(request.path().requireDb());
        var page = ListDatabases.page(all, request.parameters().find().paging());
        var response = request.parameters().format().representation() == Representation.STANDARD
                ? JsonResponses.of(request, 200, BsonTexts.array(page))
                : DocumentContent.response(children(request, page), HalPages.database(request, all.size()));
        return EntityTags.add(response, request.resource().properties());
    }

    /// In the order of SHAL's single list; HAL has a list for each kind.
    private List<BsonDocument> children(DataRequest request, List<String> names) {
        var properties = catalog.properties(request.path().requireDb(), names);
        return names.stream()
                .sorted(Comparator.comparingInt(name -> KINDS.indexOf(ResourcePath.kindOf(name))))
                .map(name -> GetProperties.withId(properties.getOrDefault(name, new BsonDocument()), name))
                .toList();
    }
}
