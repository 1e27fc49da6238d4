package org.restheart.mongo.error;

import com.mongodb.MongoTimeoutException;
import java.io.Serial;

/// No server can be selected, since all belong to another replica set than the connection string names. Another attempt
/// does not help.
public final class WrongDeploymentException extends MongoTimeoutException {
    @Serial
    private static final long serialVersionUID = 1;

    /// @param message naming the key to correct
    public WrongDeploymentException(String message) {
        super(message);
    }
}
