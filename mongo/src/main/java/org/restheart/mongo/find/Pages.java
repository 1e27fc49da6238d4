package org.restheart.mongo.find;

import java.util.function.Supplier;
import org.restheart.bson.JsonMode;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Runs queries for pages of documents, separately or once for equal requests. Thread-safe.
@FunctionalInterface
public interface Pages {
    /// Everything that determines the content of a page.
    record Page(FindQuery query, JsonMode mode) {
        /// Requests with equal keys may get the same bytes.
        public QueryKey key() {
            return query.parts().add(mode.name()).key();
        }
    }

    /// @param request determines whether the query may block here
    /// @param run queries MongoDB and encodes the page; on a thread that may block
    Response page(Request request, Page page, Supplier<Response.Ready> run);

    /// These, except for requests in a session.
    default Pages outsideSessions() {
        var alone = alone();
        return (request, page, run) -> {
            var pages = page.query().settings().session().isPresent() ? alone : this;
            return pages.page(request, page, run);
        };
    }

    /// Each query separately.
    static Pages alone() {
        return (request, _, run) -> {
            request.requireThread();
            return run.get();
        };
    }
}
