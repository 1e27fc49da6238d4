package org.restheart.mongo.write;

import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Collation;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// A condition that documents must match before they are stored, which MongoDB evaluates (`$documents`, since
/// MongoDB 5.1).
///
/// @param collation as reads of the collection compare texts: documents of no collection have no collation
public record StoredCondition(MongoDatabase database, BsonDocument required, Optional<Collation> collation) {
    /// Bytes of documents per command; a command may have 16 MiB.
    private static final int MAX_BYTES = 4 << 20;

    /// Blocks for MongoDB.
    ///
    /// @throws ProblemException 403
    public void check(List<RawBsonDocument> documents) {
        for (int from = 0; from < documents.size(); ) {
            int to = from;
            for (long bytes = 0; to < documents.size() && (to == from || bytes < MAX_BYTES); to++) {
                bytes += documents.get(to).getByteBuffer().remaining();
            }
            checkSome(documents.subList(from, to));
            from = to;
        }
    }

    private void checkSome(List<RawBsonDocument> documents) {
        var stages = List.of(
                new BsonDocument("$documents", new BsonArray(literals(documents))),
                new BsonDocument("$match", new BsonDocument("$nor", new BsonArray(List.of(required)))),
                new BsonDocument("$limit", new BsonInt32(1)));
        var outside = database.aggregate(stages, BsonDocument.class);
        collation.ifPresent(outside::collation);
        if (outside.first() != null) {
            throw outside();
        }
    }

    public static ProblemException outside() {
        return new ProblemException(
                ProblemCode.FORBIDDEN, "the permission does not cover the document as it would be stored");
    }

    private static List<BsonDocument> literals(List<RawBsonDocument> documents) {
        return documents.stream()
                .map(document -> new BsonDocument("$literal", document))
                .toList();
    }
}
