package org.restheart.mongo.validator;

import com.mongodb.MongoException;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.Warnings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A write of schemas, or of the properties by which collections name them: validators follow before it is answered.
///
/// @param write the write itself
public record FollowedWrite(Validators validators, DataHandler write) implements DataHandler {
    private static final Logger LOG = LoggerFactory.getLogger(FollowedWrite.class);

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var response = write.handle(request).settled();
        var path = request.path();
        if (response.status() >= 400) {
            return response;
        }
        int incomplete = path.kind().isSchemas()
                ? followAll()
                : validators.follow(path.requireDb(), path.requireCollection()) ? 0 : 1;
        return incomplete == 0
                ? response
                : response.withAlso(
                        "Warning",
                        Warnings.line("MongoDB's validator of " + incomplete
                                + " collections differs from the JSON Schema; GET .../_validator tells how"));
    }

    /// The write is done, whether or not validators can be looked at.
    private int followAll() {
        try {
            return validators.followAll();
        } catch (MongoException e) {
            LOG.warn("MongoDB's validators could not be compared with changed JSON Schemas", e);
            return 0;
        }
    }
}
