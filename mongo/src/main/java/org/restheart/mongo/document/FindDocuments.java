package org.restheart.mongo.document;

import java.util.List;
import java.util.OptionalLong;
import org.restheart.http.Response;
import org.restheart.mongo.DataHandler;
import org.restheart.mongo.DataRequest;
import org.restheart.mongo.EntityTags;
import org.restheart.mongo.Json;
import org.restheart.mongo.MongoConfig;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Pages;
import org.restheart.mongo.format.DocumentContent;
import org.restheart.mongo.format.DocumentFormat;
import org.restheart.mongo.format.Export;
import org.restheart.mongo.format.JsonArray;
import org.restheart.mongo.hal.HalPages;
import org.restheart.mongo.parameter.Counting;
import org.restheart.mongo.parameter.Representation;

/// `GET /{db}/{collection}`: one page of the documents that match. Buckets and schema stores are collections
/// too.
public final class FindDocuments implements DataHandler {
    private final Finder finder;
    private final Pages pages;
    private final Queries queries;
    private final Exports exports;

    public FindDocuments(Finder finder, Pages pages, MongoConfig config) {
        this.finder = finder;
        this.pages = pages;
        this.queries = new Queries(config.queryTimeLimit());
        this.exports = new Exports(finder, queries);
    }

    @Override
    public Response handle(DataRequest request) {
        var response = Export.wanted(request.http().headers())
                .<Response>map(export -> exports.query(request, export))
                .orElseGet(() -> request.parameters().representation() == Representation.STANDARD
                        ? array(request)
                        : hal(request));
        return response.map(page -> withHeaders(request, page));
    }

    private Response.Ready withHeaders(DataRequest request, Response.Ready page) {
        var tagged = EntityTags.add(page, request.resource().properties());
        return request.parameters().counting() == Counting.NONE
                ? tagged
                : tagged.with(CountStrategy.HEADER, CountStrategy.of(queries.count(request)));
    }

    /// Nothing but the query and the mode decides what an array looks like: the same one serves all who ask
    /// for it.
    private Response array(DataRequest request) {
        if (request.parameters().paging().pageSize() == 0) {
            return Json.empty(200);
        }
        var page = new Pages.Page(queries.page(request), request.parameters().jsonMode());
        return pages.page(request.http(), page, () -> run(page.query(), JsonArray.of(page.mode())));
    }

    private Response hal(DataRequest request) {
        request.http().requireThread();
        var size = request.parameters().counting() == Counting.NONE
                ? OptionalLong.empty()
                : OptionalLong.of(finder.count(queries.count(request)));
        var format = HalPages.collection(request, size);
        return request.parameters().paging().pageSize() == 0
                ? DocumentContent.response(List.of(), format)
                : run(queries.page(request), format);
    }

    private Response.Ready run(FindQuery query, DocumentFormat format) {
        // One document more than there can be in a batch: so MongoDB closes the cursor with the first reply.
        return DocumentContent.response(finder.find(query, query.limit() + 1), format);
    }
}
