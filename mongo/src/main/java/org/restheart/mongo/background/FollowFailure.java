package org.restheart.mongo.background;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import org.restheart.mongo.error.MongoCodes;

/// What is to be done about an error of a change stream. Codes: MongoDB's `error_codes.yml`.
public enum FollowFailure {
    /// There are no change streams, since the server is no member of a replica set.
    UNAVAILABLE,

    UNAUTHORIZED,

    /// The token is none of a change stream, or of this one.
    BAD_TOKEN,

    /// What came after the token, or the time, is not known any more.
    HISTORY_LOST,

    /// It may work again soon.
    FOR_NOW,

    /// The pipeline fails at one event; others may pass.
    ONE_EVENT;

    public static FollowFailure of(MongoException failure) {
        return switch (failure.getCode()) {
            case 115, 40573 -> UNAVAILABLE; // CommandNotSupported, and the code for a server that is no member
            case 13 -> UNAUTHORIZED;
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
