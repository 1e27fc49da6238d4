package org.restheart.mongo.error;

import com.mongodb.MongoTimeoutException;
import java.io.Serial;

/// A request did not get a connection to MongoDB in time, or the memory for its reply, because others of the same
/// caller hold its share of them.
public final class ShareTakenException extends MongoTimeoutException {
    @Serial
    private static final long serialVersionUID = 1;

    public ShareTakenException(String message) {
        super(message);
    }
}
