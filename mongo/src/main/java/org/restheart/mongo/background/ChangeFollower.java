package org.restheart.mongo.background;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.restheart.mongo.background.ChangeSource.Start;
import org.restheart.mongo.error.MongoCodes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows one change stream for as long as it is needed. After failures it resumes after the last delivered event, so
/// that none is lost or duplicated. Confined to one thread.
public final class ChangeFollower {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeFollower.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

    private final BackgroundTasks tasks;
    private final MongoClient client;
    private final ChangeSource source;
    private final Receiver receiver;
    private Start position = new Start.Anywhere();
    private Duration pause = FIRST_PAUSE;
    private final SkippedEvents skipped;

    public interface Receiver {
        /// No event is missed from now on, until [#interrupted].
        void opened();

        void received(Change change);

        /// There were no events up to this token.
        default void reached(BsonDocument token) {}

        /// The stream was interrupted: events are not delivered before the next [#opened].
        default void interrupted() {}

        /// The stream has ended, or could not be opened: changes are not known before the next [#opened], if there is
        /// one at all. Not called while a stream that was interrupted is resumed.
        default void ended() {}

        /// Called about once a second. After false, no event is delivered.
        default boolean isWanted() {
            return true;
        }
    }

    /// Why following ended.
    public enum End {
        /// The followed collection or database was dropped or renamed.
        GONE,
        NOT_WANTED,
        FAILED
    }

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

    public ChangeFollower(BackgroundTasks tasks, MongoClient client, ChangeSource source, Receiver receiver) {
        this.tasks = tasks;
        this.client = client;
        this.source = source;
        this.receiver = receiver;
        this.skipped = new SkippedEvents(source, ChangeCursor.AWAIT_MILLIS);
    }

    /// Returns when following ends.
    ///
    /// @throws MongoException when the stream cannot be opened in the first place
    public End follow() {
        position = Start.now(client);
        skipped.clear();
        var cursor = ChangeCursor.open(source, position);
        receiver.opened();
        pause = FIRST_PAUSE;
        while (cursor != null) {
            MongoException failure = null;
            try (var current = cursor) {
                var end = read(current);
                if (end != null) {
                    return end;
                }
            } catch (MongoException e) {
                receiver.interrupted();
                failure = e;
            }
            cursor = reopen(failure);
        }
        return isWanted() ? End.FAILED : End.NOT_WANTED;
    }

    /// As [#follow], and restarts when the stream cannot be opened or has ended. Returns when it is no longer needed,
    /// or when the deployment has no change streams.
    public void followForEver() {
        while (isWanted()) {
            try {
                LOG.debug("the change stream of {} has ended: {}", source.name(), follow());
            } catch (MongoException e) {
                if (FollowFailure.of(e) == FollowFailure.UNAVAILABLE) {
                    LOG.info("This deployment has no change streams: changes of {} are not followed", source.name());
                    return;
                }
                LOG.debug("the change stream of {} cannot be opened: {}", source.name(), e.toString());
            } finally {
                receiver.interrupted();
                receiver.ended();
            }
            pause();
        }
    }

    private boolean isWanted() {
        return tasks.isRunning() && receiver.isWanted();
    }

    /// @return null to continue with a new cursor
    private @Nullable End read(ChangeCursor cursor) {
        while (isWanted()) {
            var change = cursor.next();
            if (change != null) {
                moveTo(change.token());
                receiver.received(change);
            } else if (cursor.isOver()) {
                return End.GONE;
            } else {
                reached(cursor.token());
                if (skipped.isStepping()) {
                    return null;
                }
            }
        }
        return End.NOT_WANTED;
    }

    private void moveTo(BsonDocument token) {
        position = new Start.After(token);
        skipped.moved();
        pause = FIRST_PAUSE;
    }

    private void reached(@Nullable BsonDocument token) {
        if (token != null) {
            moveTo(token);
            receiver.reached(token);
        }
    }

    /// @param failure null if there was none
    /// @return null if following ends
    private @Nullable ChangeCursor reopen(@Nullable MongoException failure) {
        var cause = failure;
        while (isWanted()) {
            try {
                if (cause == null) {
                    skipped.stopStepping();
                } else if (!overcome(cause)) {
                    return null;
                }
                var cursor = skipped.open(position, 0);
                receiver.opened();
                return cursor;
            } catch (MongoException e) {
                cause = e;
            }
        }
        return null;
    }

    /// @return false if that is not possible
    private boolean overcome(MongoException failure) {
        switch (FollowFailure.of(failure)) {
            case UNAVAILABLE, UNAUTHORIZED, BAD_TOKEN, HISTORY_LOST -> {
                LOG.warn("a change stream of {} ends: {}", source.name(), failure.toString());
                return false;
            }
            case FOR_NOW -> {
                LOG.info("a change stream of {} is interrupted: {}", source.name(), failure.toString());
                pause();
            }
            case ONE_EVENT -> {
                switch (skipped.after(failure, position)) {
                    case TRY_AGAIN -> {}
                    case WAIT -> pause();
                    case GIVE_UP -> {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private void pause() {
        tasks.pause(pause);
        var doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(MAX_PAUSE) < 0 ? doubled : MAX_PAUSE;
    }
}
