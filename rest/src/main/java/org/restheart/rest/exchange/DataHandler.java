package org.restheart.rest.exchange;

import org.restheart.http.Response;

/// Handles one method of one kind of resource. Thread-safe.
@FunctionalInterface
public interface DataHandler {
    /// The threading rule of [org.restheart.http.Handler#handle] applies: `request.http().requireThread()` before
    /// blocking.
    Response handle(DataRequest request);
}
