package org.restheart.mongo.write;

import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataRequest;

/// Handles a request that writes new documents. Thread-safe.
@FunctionalInterface
public interface Creation {
    Response handle(DataRequest request, NewIds ids);
}
