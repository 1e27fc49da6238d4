package org.restheart.mongo.find;

import java.util.function.UnaryOperator;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Runs queries for pages of documents, separately or once for equal requests. Thread-safe.
@FunctionalInterface
public interface Pages {
    /// Everything that determines the content of a page.
    ///
    /// @param form the content depends on the documents and this alone, such as the name of a JSON mode
    /// @param isInterruptible whether the query ends in MongoDB as soon as no request waits for it any more
    record Page(FindQuery query, String form, boolean isInterruptible) {}

    /// What a page may use.
    ///
    /// @param lease owns its memory
    /// @param isShared whether it is for several requests
    /// @param change of the finder that is used
    record Use(Lease lease, boolean isShared, UnaryOperator<Finder> change) {}

    /// Finds the documents of a page and encodes them, on a thread that may block.
    @FunctionalInterface
    interface Reading {
        /// @param use of memory, and the finder
        Response.Ready read(Use use);
    }

    /// @param request determines whether the query may block here
    Response page(Request request, Page page, Reading reading);
}
