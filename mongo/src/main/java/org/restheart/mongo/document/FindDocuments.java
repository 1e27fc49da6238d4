package org.restheart.mongo.document;

import org.restheart.http.Response;
import org.restheart.mongo.DataHandler;
import org.restheart.mongo.DataRequest;
import org.restheart.mongo.EntityTags;
import org.restheart.mongo.Json;
import org.restheart.mongo.MongoConfig;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.format.DocumentContent;
import org.restheart.mongo.format.JsonArray;
import org.restheart.mongo.parameter.Counting;

/// `GET /{db}/{collection}`: one page of the documents that match. Buckets and schema stores are collections
/// too.
public final class FindDocuments implements DataHandler {
    private final Finder finder;
    private final Queries queries;

    public FindDocuments(Finder finder, MongoConfig config) {
        this.finder = finder;
        this.queries = new Queries(config.queryTimeLimit());
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var response = EntityTags.add(page(request), request.resource().properties());
        return request.parameters().counting() == Counting.NONE
                ? response
                : response.with(CountStrategy.HEADER, CountStrategy.of(queries.count(request)));
    }

    private Response.Ready page(DataRequest request) {
        int pageSize = request.parameters().paging().pageSize();
        if (pageSize == 0) {
            return Json.empty(200);
        }
        // One document more than there can be in a batch: so MongoDB closes the cursor with the first reply.
        var cursor = finder.find(queries.page(request), pageSize + 1);
        return DocumentContent.response(
                cursor, JsonArray.of(request.parameters().jsonMode()));
    }
}
