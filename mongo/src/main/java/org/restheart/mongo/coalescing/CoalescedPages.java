package org.restheart.mongo.coalescing;

import java.util.function.Function;
import java.util.function.Supplier;
import org.restheart.http.Content;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.mongo.find.Pages;

/// Runs identical waiting queries once and shares the encoded result. Thread-safe.
final class CoalescedPages implements Pages {
    private final SharedQueries<Response.Ready> queries;
    private final SharingHeader header;

    CoalescedPages(Coalescer coalescer, SharingHeader header) {
        this.queries = coalescer.sharedQueries(CoalescedPages::isComplete);
        this.header = header;
    }

    /// A streamed page can be read only once.
    private static boolean isComplete(Response.Ready response) {
        return !(response.content() instanceof Content.Streamed);
    }

    @Override
    public Response page(Request request, Page page, Supplier<Response.Ready> run) {
        return header.defer(queries.submit(page.key(), run), Function.identity());
    }
}
