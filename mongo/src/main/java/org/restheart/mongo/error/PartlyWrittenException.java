package org.restheart.mongo.error;

import com.mongodb.MongoException;
import java.io.Serial;

/// MongoDB failed after some documents of a request were written: of the others that is not known.
public final class PartlyWrittenException extends MongoException {
    @Serial
    private static final long serialVersionUID = 1;

    public PartlyWrittenException(MongoException cause) {
        super("MongoDB failed between the commands of a request", cause);
    }
}
