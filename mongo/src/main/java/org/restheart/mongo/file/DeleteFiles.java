package org.restheart.mongo.file;

import com.mongodb.ReadPreference;
import com.mongodb.client.model.Projections;
import java.util.List;
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
        var deletion = new FileDeletion(Chunks.of(collections, request));
        long deleted = 0;
        try (var found = files.withReadPreference(ReadPreference.primary())
                .find(filter)
                .projection(Projections.include("_id"))
                .cursor()) {
            while (found.hasNext()) {
                var id = Objects.requireNonNull(found.next().get("_id"));
                var outcome = deletion.run(
                        id,
                        version -> TargetDocument.file(
                                new SessionCollection(files, Optional.empty()),
                                id,
                                List.of(filter, version),
                                new Precondition.None()));
                if (outcome instanceof DeleteOutcome.Deleted) {
                    deleted++;
                }
            }
        }
        return JsonResponses.of(request, 200, new BsonDocument("deleted", new BsonInt64(deleted)));
    }
}
