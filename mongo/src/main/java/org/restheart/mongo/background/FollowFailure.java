package org.restheart.mongo.background;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import org.restheart.mongo.error.MongoCodes;

/// Classifies errors of change streams. Codes: MongoDB's `error_codes.yml`.
public enum FollowFailure {
    /// Change streams are not available, since the server is not a member of a replica set.
    UNAVAILABLE,

    UNAUTHORIZED,

    /// The token is not one of this change stream.
    BAD_TOKEN,

    /// The events after the token, or the time, are no longer in the oplog.
    HISTORY_LOST,

    /// A temporary failure.
    FOR_NOW,

    /// The pipeline fails at one event; others may pass.
    ONE_EVENT;

    public static FollowFailure of(MongoException failure) {
        return switch (failure.getCode()) {
            case 115, MongoCodes.NO_CHANGE_STREAMS -> UNAVAILABLE; // CommandNotSupported
            case MongoCodes.UNAUTHORIZED -> UNAUTHORIZED;
            case 260, 280 -> BAD_TOKEN; // InvalidResumeToken, ChangeStreamFatalError
            case 286 -> HISTORY_LOST;
            default -> isTemporary(failure) ? FOR_NOW : ONE_EVENT;
        };
    }

    private static boolean isTemporary(MongoException failure) {
        return !(failure instanceof MongoCommandException)
                || failure.hasErrorLabel("ResumableChangeStreamError")
                || MongoCodes.isOfDeployment(failure.getCode());
    }
}
