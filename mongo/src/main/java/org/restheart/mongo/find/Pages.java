package org.restheart.mongo.find;

import java.util.function.Supplier;
import org.restheart.bson.JsonMode;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Answers queries for pages of documents, now or once for several who ask the same. Thread-safe.
@FunctionalInterface
public interface Pages {
    /// Everything that decides what a page looks like. Compares by value.
    record Page(FindQuery query, JsonMode mode) {}

    /// @param request says whether the query may wait for MongoDB here
    /// @param run asks MongoDB and represents the page; on a thread that may block
    Response page(Request request, Page page, Supplier<Response.Ready> run);

    /// Each query by itself.
    static Pages alone() {
        return (request, _, run) -> {
            request.requireThread();
            return run.get();
        };
    }
}
