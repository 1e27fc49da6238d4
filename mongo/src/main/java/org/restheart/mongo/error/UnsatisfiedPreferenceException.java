package org.restheart.mongo.error;

import com.mongodb.MongoTimeoutException;
import java.io.Serial;

/// No member of the replica set may answer a read, since none is of the kind that its read preference asks for, though
/// there is a primary. Another attempt helps when there is such a member again.
public final class UnsatisfiedPreferenceException extends MongoTimeoutException {
    @Serial
    private static final long serialVersionUID = 1;

    public UnsatisfiedPreferenceException(String preference) {
        super("no member of the replica set satisfies the read preference " + preference + " at the moment");
    }
}
