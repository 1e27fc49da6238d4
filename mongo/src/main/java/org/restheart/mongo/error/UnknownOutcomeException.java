package org.restheart.mongo.error;

import com.mongodb.MongoException;
import java.io.Serial;

/// MongoDB failed after a write of a request, or some of its writes, may have been executed: whether they were cannot
/// be determined.
public final class UnknownOutcomeException extends MongoException {
    @Serial
    private static final long serialVersionUID = 1;

    public UnknownOutcomeException(MongoException cause) {
        super("it is not known what MongoDB has written before it failed", cause);
    }
}
