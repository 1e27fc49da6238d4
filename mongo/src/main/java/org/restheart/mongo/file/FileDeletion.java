package org.restheart.mongo.file;

import com.mongodb.client.model.Projections;
import java.util.List;
import java.util.function.Function;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;

/// Deletes files with their chunks, outside of transactions. Confined to one request.
final class FileDeletion {
    /// While others replace the file.
    private static final int ATTEMPTS = 10;

    /// Fields of a file's document of which one differs if its content does.
    private static final List<String> VERSION = List.of("uploadDate", "length", ContentMoves.MARK);

    private final Chunks chunks;

    FileDeletion(Chunks chunks) {
        this.chunks = chunks;
    }

    /// Removes a file and then its chunks. Between the two, others may make a file of the same id: so the chunks
    /// are determined before, and removed by their own ids.
    ///
    /// @param target the file's document, with a condition in addition to those of the request
    DeleteOutcome run(BsonValue file, Function<BsonDocument, TargetDocument> target) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            switch (target.apply(new BsonDocument()).foresee()) {
                case WriteOutcome.Refused refused -> {
                    return refused;
                }
                case WriteOutcome.Missing _, WriteOutcome.Duplicate _ -> {
                    return new WriteOutcome.Missing();
                }
                case WriteOutcome.Created _, WriteOutcome.Changed _ -> {
                    var version = version(file);
                    var ids = chunks.ids(file);
                    if (target.apply(version).delete() instanceof DeleteOutcome.Deleted deleted) {
                        chunks.delete(file, ids.subList(Math.min(1, ids.size()), ids.size()));
                        chunks.delete(file, ids.subList(0, Math.min(1, ids.size())));
                        return deleted;
                    }
                }
            }
        }
        throw Problem.of(ProblemCode.CONFLICT, "the file changes too often; try again")
                .raise();
    }

    /// A condition that holds while the file has its present content, which is moved to it before.
    private BsonDocument version(BsonValue file) {
        var found = described(file);
        var mark = found.get(ContentMoves.MARK);
        if (mark != null) {
            new ContentMoves(chunks).finish(file);
            found = described(file);
            if (ContentMoves.isMarked(found)) { // if the mark is the same, nothing can be moved; else nothing matches
                found.put(ContentMoves.MARK, mark);
            }
        }
        var version = new BsonDocument();
        for (var field : VERSION) {
            var value = found.get(field);
            version.append(
                    field, value == null ? new BsonDocument("$exists", BsonBoolean.FALSE) : Chunks.literal(value));
        }
        return version;
    }

    private BsonDocument described(BsonValue file) {
        var found = chunks.files()
                .find(new BsonDocument("_id", Chunks.literal(file)))
                .projection(Projections.include(VERSION))
                .first();
        return found == null ? new BsonDocument() : found;
    }
}
