package org.restheart.mongo.file;

import com.mongodb.ReadPreference;
import com.mongodb.client.model.Projections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;

/// Deletes files with their chunks, outside of transactions: `DELETE /{db}/{bucket}.files/{id}` and
/// `DELETE /{db}/{bucket}.files/*`. Confined to one request.
final class DeleteFiles {
    /// While others replace the file.
    private static final int ATTEMPTS = 10;

    /// Fields of a file's document of which one differs if its content does.
    private static final List<String> VERSION = List.of("uploadDate", "length", ContentMoves.MARK);

    private final Chunks chunks;

    private DeleteFiles(Chunks chunks) {
        this.chunks = chunks;
    }

    static DataHandler one(RequestCollections collections, Preconditions preconditions) {
        return request -> {
            request.http().requireThread();
            var outcome = new DeleteFiles(Chunks.of(collections, request))
                    .delete(
                            request.id(),
                            version -> TargetDocument.file(
                                    SessionCollection.of(collections, request),
                                    request.id(),
                                    List.of(request.writeFilter(), version),
                                    preconditions.ofDocument(request)));
            return WriteResponses.of(outcome, UploadFile.TAG_REQUIRED);
        };
    }

    /// Every file that the filter matches, one after the other.
    static DataHandler many(RequestCollections collections) {
        return request -> {
            var filter = request.writeFilter();
            request.http().requireThread();
            var files = collections.of(request);
            var deletion = new DeleteFiles(Chunks.of(collections, request));
            long deleted = 0;
            try (var found = files.withReadPreference(ReadPreference.primary())
                    .find(filter)
                    .projection(Projections.include("_id"))
                    .cursor()) {
                while (found.hasNext()) {
                    var id = Objects.requireNonNull(found.next().get("_id"));
                    var outcome = deletion.delete(
                            id,
                            version -> TargetDocument.file(
                                    new SessionCollection(files, Optional.empty()),
                                    id,
                                    List.of(filter, version),
                                    new Precondition.None()));
                    if (outcome instanceof WriteOutcome.Deleted) {
                        deleted++;
                    }
                }
            }
            return JsonResponses.of(request, 200, new BsonDocument("deleted", new BsonInt64(deleted)));
        };
    }

    /// Removes a file and then its chunks. Between the two, others may make a file of the same id: so the chunks
    /// are determined before, and removed by their own ids.
    ///
    /// @param target the file's document, with a condition in addition to those of the request
    private WriteOutcome delete(BsonValue file, Function<BsonDocument, TargetDocument> target) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            switch (target.apply(new BsonDocument()).preview()) {
                case WriteOutcome.Refused refused -> {
                    return refused;
                }
                case WriteOutcome.Missing _, WriteOutcome.Duplicate _ -> {
                    return new WriteOutcome.Missing();
                }
                case WriteOutcome.Created _, WriteOutcome.Changed _, WriteOutcome.Deleted _ -> {
                    var version = version(file);
                    var ids = chunks.ids(file);
                    if (target.apply(version).deleting().alone() instanceof WriteOutcome.Deleted deleted) {
                        chunks.delete(file, ids.subList(Math.min(1, ids.size()), ids.size()));
                        chunks.delete(file, ids.subList(0, Math.min(1, ids.size())));
                        return deleted;
                    }
                }
            }
        }
        throw new ProblemException(ProblemCode.CONFLICT, "the file changes too often; try again");
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
