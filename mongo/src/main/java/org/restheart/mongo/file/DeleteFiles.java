package org.restheart.mongo.file;

import com.mongodb.ReadPreference;
import com.mongodb.client.model.Projections;
import java.util.Objects;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;

/// `DELETE /{db}/{bucket}.files/*`: removes every file that the filter matches, one after the other.
final class DeleteFiles implements DataHandler {
    private final Collections collections;

    DeleteFiles(Collections collections) {
        this.collections = collections;
    }

    @Override
    public Response handle(DataRequest request) {
        var filter = request.writeFilter();
        request.http().requireThread();
        var files = collections.of(request);
        var chunks = Chunks.of(collections, request);
        var moves = new ContentMoves(chunks);
        long deleted = 0;
        try (var found = files.withReadPreference(ReadPreference.primary())
                .find(filter)
                .projection(Projections.include("_id", ContentMoves.MARK))
                .cursor()) {
            while (found.hasNext()) {
                var file = found.next();
                var id = Objects.requireNonNull(file.get("_id"));
                if (ContentMoves.isMarked(file)) {
                    moves.finish(id);
                }
                if (TargetDocument.file(
                                        new SessionCollection(files, Optional.empty()),
                                        id,
                                        filter,
                                        new Precondition.None())
                                .delete()
                        instanceof DeleteOutcome.Deleted) {
                    chunks.deleteOf(id);
                    deleted++;
                }
            }
        }
        return JsonResponses.of(request, 200, new BsonDocument("deleted", new BsonInt64(deleted)));
    }
}
