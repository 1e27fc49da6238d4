package org.restheart.mongo.document;

import org.restheart.http.Response;
import org.restheart.mongo.DataHandler;
import org.restheart.mongo.DataRequest;
import org.restheart.mongo.EntityTags;
import org.restheart.mongo.Json;
import org.restheart.mongo.MongoConfig;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Pages;
import org.restheart.mongo.format.DocumentContent;
import org.restheart.mongo.format.JsonArray;
import org.restheart.mongo.parameter.Counting;

/// `GET /{db}/{collection}`: one page of the documents that match. Buckets and schema stores are collections
/// too.
public final class FindDocuments implements DataHandler {
    private final Finder finder;
    private final Pages pages;
    private final Queries queries;

    public FindDocuments(Finder finder, Pages pages, MongoConfig config) {
        this.finder = finder;
        this.pages = pages;
        this.queries = new Queries(config.queryTimeLimit());
    }

    @Override
    public Response handle(DataRequest request) {
        if (request.parameters().counting() == Counting.NONE) {
            return page(request)
                    .map(page -> EntityTags.add(page, request.resource().properties()));
        }
        request.http().requireThread();
        var strategy = CountStrategy.of(queries.count(request));
        return page(request)
                .map(page ->
                        EntityTags.add(page, request.resource().properties()).with(CountStrategy.HEADER, strategy));
    }

    private Response page(DataRequest request) {
        if (request.parameters().paging().pageSize() == 0) {
            return Json.empty(200);
        }
        var page = new Pages.Page(queries.page(request), request.parameters().jsonMode());
        return pages.page(request.http(), page, () -> run(page));
    }

    private Response.Ready run(Pages.Page page) {
        // One document more than there can be in a batch: so MongoDB closes the cursor with the first reply.
        var cursor = finder.find(page.query(), page.query().limit() + 1);
        return DocumentContent.response(cursor, JsonArray.of(page.mode()));
    }
}
