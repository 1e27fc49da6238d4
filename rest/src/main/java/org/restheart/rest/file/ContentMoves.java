package org.restheart.rest.file;

import static org.restheart.bson.BsonValues.object;
import static org.restheart.http.ProblemCode.OVERLOADED;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.mongodb.ErrorCategory;
import com.mongodb.MongoException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.rest.content.NewDocument;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives content to a file, new or not, without a transaction: on servers that have none, and where the content is
/// too large for one.
///
/// The new content is stored under an id of its own. One write then replaces the file's document by one with a
/// mark that names this id. From this moment on, the new content is the file's: the chunks of the old one are
/// removed, those of the new one are moved to the file, and the mark is removed. A request that finds the mark, such
/// as a download, a deletion or the next replacement, takes these steps before it continues. Therefore, no
/// content is ever composed of both, even if the gateway terminates between two steps.
///
/// All steps may be repeated, and taken by several gateways at a time. While a file is marked, its content is not
/// replaced. Thread-safe.
///
/// @param longestWait while another thread moves the same chunks
record ContentMoves(Chunks chunks, Duration longestWait) {
    /// The field of a file's document with the id from which its chunks are moved.
    static final String MARK = "movesFrom";

    /// Chunks of an upload of the same id that began before the file was there can get in between so often.
    private static final int ATTEMPTS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(ContentMoves.class);

    /// Requests of one gateway do not move the same chunks at a time. The one that does takes about a second for a
    /// gigabyte. A lock is kept as long as a thread holds it or waits for it.
    private static final LoadingCache<BsonValue, Lock> LOCKS =
            Caffeine.newBuilder().weakValues().build(_ -> new ReentrantLock());

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    ContentMoves(Chunks chunks) {
        this(chunks, LONGEST_WAIT);
    }

    /// The lock of those who move the chunks of this id.
    static Lock lock(BsonValue from) {
        return LOCKS.get(from);
    }

    static BsonDocument unmarked() {
        return object(MARK, object("$exists", false));
    }

    static boolean isMarked(BsonDocument file) {
        return file.containsKey(MARK);
    }

    /// @param from the id of its chunks
    static RawBsonDocument marked(RawBsonDocument file, BsonValue from) {
        var marked = new BsonDocument();
        marked.putAll(file);
        return NewDocument.encode(marked.append(MARK, from));
    }

    /// Replaces a file, or creates it, when no other replacement is in progress.
    ///
    /// @param publish writes the document, provided that there is [#unmarked()] or none
    WriteOutcome replace(BsonValue file, Supplier<WriteOutcome> publish) {
        var outcome = publish.get();
        for (int i = 0;
                i < ATTEMPTS
                        && (outcome instanceof WriteOutcome.Duplicate || outcome instanceof WriteOutcome.Stale)
                        && from(file).isPresent();
                i++) {
            finish(file);
            outcome = publish.get();
        }
        return outcome;
    }

    /// As [#replace], and moves the chunks afterwards.
    ///
    /// @param from the id of the new chunks
    /// @param publish writes the document with the mark
    WriteOutcome replaceInSteps(BsonValue file, BsonValue from, Supplier<WriteOutcome> publish) {
        var outcome = replace(file, publish);
        if (outcome instanceof WriteOutcome.Created || outcome instanceof WriteOutcome.Changed) {
            try {
                finish(file, from);
            } catch (MongoException | ProblemException e) { // the file is stored, and whoever reads it continues
                LOG.warn("the chunks of a file are not moved yet", e);
            }
        }
        return outcome;
    }

    /// Finishes the replacement of a file's content, if one has begun.
    ///
    /// @throws ProblemException 503 while another request takes long to do so
    void finish(BsonValue file) {
        from(file).ifPresent(from -> finish(file, from));
    }

    /// Finishes the replacement for which chunks have been stored under an id; false if there is none.
    ///
    /// @throws ProblemException 503 while another request takes long to do so
    boolean finishFrom(BsonValue from) {
        if (from.isNull()) { // of chunks that name no file; an equality with null matches every file without the mark
            return false;
        }
        var file = chunks.files().find(object(MARK, object("$eq", from))).first();
        if (file == null) {
            return false;
        }
        finish(Objects.requireNonNull(file.get("_id")));
        return true;
    }

    /// Whether the content of a file is moved from this id.
    boolean isFrom(BsonValue file, BsonValue from) {
        return from(file).equals(Optional.of(from));
    }

    private Optional<BsonValue> from(BsonValue file) {
        return Optional.ofNullable(chunks.files()
                        .find(object("_id", object("$eq", file)))
                        .projection(object(MARK, 1))
                        .first())
                .map(document -> document.get(MARK));
    }

    private void finish(BsonValue file, BsonValue from) {
        if (chunks.isVisible(from)) { // not written by a gateway: content is never taken from another file
            LOG.warn(
                    "a file in {} says that it has the content of another one",
                    chunks.files().getNamespace());
            return;
        }
        var lock = lock(from);
        if (!taken(lock)) {
            throw Problem.of(OVERLOADED, "the content of the file is being moved; try again")
                    .with("Retry-After", "5")
                    .raise();
        }
        try {
            if (move(file, from) && !unmark(file, from)) {
                // finished by somebody else or, perhaps before the last chunks were moved, deleted
                chunks.deleteMoved(from, file);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean taken(Lock lock) {
        try {
            return lock.tryLock(longestWait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean unmark(BsonValue file, BsonValue from) {
        return chunks.files()
                        .updateOne(
                                object("_id", object("$eq", file), MARK, object("$eq", from)),
                                object("$unset", object(MARK, "")))
                        .getMatchedCount()
                > 0;
    }

    /// False if chunks of others get in between again and again.
    private boolean move(BsonValue file, BsonValue from) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var old = chunks.notMovedFrom(from, file);
            if (!isFrom(file, from)) {
                return true; // somebody else has finished it: what was found may be the content of a later version
            }
            chunks.delete(file, old);
            try {
                chunks.moveInSteps(from, file);
                return true;
            } catch (MongoException e) {
                if (ErrorCategory.fromErrorCode(e.getCode()) != ErrorCategory.DUPLICATE_KEY) {
                    throw e;
                }
            }
        }
        LOG.warn("the chunks of a file cannot be moved: others store chunks of the same id");
        return false;
    }
}
