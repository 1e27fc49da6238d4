package org.restheart.mongo.write;

import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.model.WriteModel;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.write.BulkWrites.Tried;
import org.restheart.mongo.write.BulkWrites.Writes;

/// What a rehearsal knows of its writes, in all its attempts. MongoDB aborts a transaction with the first of many
/// writes that fails. The next attempt leaves that one out: then the others have the results that they have without
/// a transaction. Confined to one request.
public final class Rehearsal {
    /// How many ids are looked for at one time.
    private static final int PIECE = 1_000;

    private static final BulkWriteResult NOTHING = BulkWriteResult.acknowledged(0, 0, 0, 0, List.of(), List.of());

    /// By the number of the write, from 0; each with its position among the writes that were sent with it.
    private final SortedMap<Integer, BulkWriteError> failed = new TreeMap<>();

    private int tried;

    /// Says that a write has failed, and that the rehearsal is to be carried out again without it.
    public static final class Again extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        private Again() {
            super("again", null, false, false);
        }
    }

    /// Begins an attempt, whose writes are those of the attempts before.
    public void begin() {
        tried = 0;
    }

    /// @throws Again if one fails that has not failed before
    Tried run(Writes writes) {
        int first = tried;
        tried += writes.models().size();
        var known = failed.subMap(first, tried);
        var errors = List.copyOf(known.values());
        var left = new ArrayList<WriteModel<RawBsonDocument>>();
        var positions = new ArrayList<Integer>();
        int end = writes.ordered() && !known.isEmpty() ? known.firstKey() : tried;
        for (int number = first; number < end; number++) {
            if (!failed.containsKey(number)) {
                left.add(writes.models().get(number - first));
                positions.add(number - first);
            }
        }
        if (left.isEmpty()) {
            return new Tried(NOTHING, errors);
        }
        var done = writes.of(left).run();
        if (done.errors().isEmpty()) {
            return new Tried(done.result(), errors);
        }
        var error = done.errors().getFirst();
        add(first, positions.get(error.getIndex()), error);
        if (writes.areInserts() && MongoCodes.isDuplicateId(error)) {
            addTaken(writes, first, positions.subList(error.getIndex() + 1, positions.size()), error);
        }
        throw new Again();
    }

    private void add(int first, int position, BulkWriteError error) {
        failed.put(first + position, BulkWrites.at(position, error));
    }

    /// Where one id is taken, others may be: they fail alike, and each would need an attempt of its own.
    private void addTaken(Writes writes, int first, List<Integer> behind, BulkWriteError error) {
        var positions = behind.subList(0, Math.min(behind.size(), PIECE));
        var taken = Ids.stored(
                writes.collection(),
                positions.stream().map(position -> id(writes, position)).toList());
        for (int position : positions) {
            if (taken.contains(id(writes, position))) {
                add(first, position, error);
            }
        }
    }

    private static BsonValue id(Writes writes, int position) {
        return Objects.requireNonNull(
                TimeLimitedWrites.statement(writes.models().get(position)).get("_id"));
    }
}
