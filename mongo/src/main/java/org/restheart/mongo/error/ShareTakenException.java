package org.restheart.mongo.error;

import com.mongodb.MongoTimeoutException;
import java.io.Serial;

/// A request did not get a connection to MongoDB in time, because others of the same caller hold its share of them.
/// Nothing was sent.
public final class ShareTakenException extends MongoTimeoutException {
    @Serial
    private static final long serialVersionUID = 1;

    public ShareTakenException() {
        super("other requests of the same caller hold its share of the connections");
    }
}
