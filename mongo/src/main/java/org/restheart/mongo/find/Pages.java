package org.restheart.mongo.find;

import java.util.function.Supplier;
import org.restheart.bson.JsonMode;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Answers queries for pages of documents, now or once for several who ask the same. Thread-safe.
@FunctionalInterface
public interface Pages {
    /// Everything that decides what a page looks like.
    record Page(FindQuery query, JsonMode mode) {
        /// Who has an equal one may be answered with the same bytes.
        public QueryKey key() {
            return query.parts().add(mode.name()).key();
        }
    }

    /// @param request says whether the query may wait for MongoDB here
    /// @param run asks MongoDB and represents the page; on a thread that may block
    Response page(Request request, Page page, Supplier<Response.Ready> run);

    /// These, except for what runs in a session.
    default Pages outsideSessions() {
        var alone = alone();
        return (request, page, run) -> {
            var pages = page.query().settings().session().isPresent() ? alone : this;
            return pages.page(request, page, run);
        };
    }

    /// Each query by itself.
    static Pages alone() {
        return (request, _, run) -> {
            request.requireThread();
            return run.get();
        };
    }
}
