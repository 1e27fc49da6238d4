package org.restheart.mongo.write;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteInsert;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.BulkWriteUpsert;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The results of the commands of one bulk write as that of one command. Confined to one thread.
final class BulkSum {
    private final List<BulkWriteError> errors = new ArrayList<>();
    private final List<BulkWriteUpsert> upserts = new ArrayList<>();
    private final List<BulkWriteInsert> inserts = new ArrayList<>();
    private @Nullable MongoBulkWriteException last;
    private boolean acknowledged = true;
    private int tried;
    private int inserted;
    private int matched;
    private int deleted;
    private int modified;

    /// @param size the number of its statements
    void add(int size, BulkWriteResult result) {
        if (result.wasAcknowledged()) {
            inserted += result.getInsertedCount();
            matched += result.getMatchedCount();
            deleted += result.getDeletedCount();
            modified += result.getModifiedCount();
            result.getUpserts()
                    .forEach(upsert -> upserts.add(new BulkWriteUpsert(tried + upsert.getIndex(), upsert.getId())));
            result.getInserts()
                    .forEach(insert -> inserts.add(new BulkWriteInsert(tried + insert.getIndex(), insert.getId())));
        } else {
            acknowledged = false;
        }
        tried += size;
    }

    /// @param size as above
    void add(int size, MongoBulkWriteException failure) {
        failure.getWriteErrors().forEach(error -> errors.add(BulkInserts.at(tried + error.getIndex(), error)));
        add(size, failure.getWriteResult());
        last = failure;
    }

    /// Whether no document was written yet.
    boolean isEmpty() {
        return inserted + matched + deleted + upserts.size() == 0;
    }

    /// @throws MongoBulkWriteException if a command failed
    BulkWriteResult result() {
        var result = acknowledged
                ? BulkWriteResult.acknowledged(inserted, matched, deleted, modified, upserts, inserts)
                : BulkWriteResult.unacknowledged();
        if (last == null) {
            return result;
        }
        var failure = new MongoBulkWriteException(
                result, errors, last.getWriteConcernError(), last.getServerAddress(), Set.of());
        last.getErrorLabels().forEach(failure::addLabel);
        throw failure;
    }
}
