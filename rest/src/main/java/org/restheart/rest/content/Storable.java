package org.restheart.rest.content;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.write.EntityTags;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.schema.SchemaForm;

/// Content of a request that will be stored whole. Confined to one request.
public sealed interface Storable {
    /// Content with more fields is decoded: checking for repeated names would cost more than it saves.
    int MAX_FIELDS_AS_IS = 64;

    default Optional<BsonValue> id() {
        return RawDocuments.get(content(), "_id");
    }

    /// The bytes that are sent to MongoDB, with this id first and the tag last.
    ///
    /// @throws org.restheart.http.ProblemException 400 for names that BSON cannot contain, 413 for more than 16 MiB
    RawBsonDocument encode(BsonValue id, ObjectId etag);

    /// Content that is valid in its collection.
    ///
    /// @throws org.restheart.http.ProblemException 400; 500 if it cannot be validated
    static Storable valid(DataRequest request, BsonDocument content) {
        var storable = of(request, content);
        request.validation().ifPresent(validation -> {
            request.http().requireThread();
            validation.check(storable.content(), true);
        });
        return storable;
    }

    /// @throws org.restheart.http.ProblemException 400
    static Storable of(DataRequest request, BsonDocument content) {
        var fields = ServerFields.of(request);
        if (request.path().kind().isSchemas()) {
            return new Schema(request.path().requireDb(), NewDocument.merged(fields, content));
        }
        return content instanceof RawBsonDocument raw && fields.areNone() && areOrdinary(RawDocuments.names(raw))
                ? new AsIs(raw)
                : new Changed(NewDocument.of(fields, content));
    }

    /// The content without the fields that the server adds to every document.
    BsonDocument content();

    private static boolean areOrdinary(List<String> names) {
        if (names.size() > MAX_FIELDS_AS_IS) {
            return false;
        }
        var seen = new HashSet<String>(names.size() * 2);
        for (var name : names) {
            if (name.startsWith("$") || name.indexOf('.') >= 0 || name.equals(EntityTags.FIELD) || !seen.add(name)) {
                return false;
            }
        }
        return true;
    }

    /// Unchanged content: its bytes are copied.
    record AsIs(RawBsonDocument content) implements Storable {
        @Override
        public RawBsonDocument encode(BsonValue id, ObjectId etag) {
            return NewDocument.checkSize(RawDocuments.edit(content)
                    .putFirst("_id", id)
                    .put(EntityTags.FIELD, new BsonObjectId(etag))
                    .toDocument());
        }
    }

    /// Content with operators, dotted keys or merged fields.
    record Changed(BsonDocument content) implements Storable {
        @Override
        public RawBsonDocument encode(BsonValue id, ObjectId etag) {
            return NewDocument.encode(NewDocument.tagged(id, content, etag));
        }
    }

    /// A JSON Schema for the store of a database.
    record Schema(String db, BsonDocument content) implements Storable {
        @Override
        public RawBsonDocument encode(BsonValue id, ObjectId etag) {
            return NewDocument.encode(NewDocument.tagged(id, SchemaForm.stored(db, id, content), etag));
        }
    }
}
