package org.restheart.mongo.bulk;

import static org.restheart.http.ProblemCode.RESERVED_NAME;

import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.WriteModel;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.http.ProblemException;
import org.restheart.mongo.content.Storable;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.resource.ResourceNames;
import org.restheart.mongo.write.Ids;

/// One of many documents to be written.
record Element(BsonValue id, RawBsonDocument document) {

    /// @param ids supplies an id for a document without one
    /// @throws org.restheart.http.ProblemException 400, 403, 413
    static Element of(DataRequest request, BsonDocument content, Supplier<BsonObjectId> ids, ObjectId etag) {
        var fields = Storable.valid(request, content);
        var given = fields.id();
        if (given.isEmpty()) {
            request.parameters().idType().requireGenerated();
        }
        var id = given.orElseGet(ids);
        if (ResourceNames.isReservedId(id)) {
            throw new ProblemException(
                    RESERVED_NAME, "id is reserved: " + id.asString().getValue());
        }
        return new Element(id, fields.encode(id, etag));
    }

    /// The positions of those refused elements that an earlier attempt of the same request has stored. Of several with
    /// one id that can only be the first: the others fail in every attempt. Blocks for MongoDB.
    static Set<Integer> storedEarlier(
            List<Element> elements,
            List<BulkWriteError> refused,
            ObjectId etag,
            MongoCollection<RawBsonDocument> collection) {
        var first = new HashMap<BsonValue, Integer>();
        for (int i = 0; i < elements.size(); i++) {
            first.putIfAbsent(elements.get(i).id, i);
        }
        var taken = new LinkedHashMap<BsonValue, Integer>();
        refused.stream()
                .filter(MongoCodes::isDuplicateId)
                .map(BulkWriteError::getIndex)
                .filter(i -> i.equals(first.get(elements.get(i).id)))
                .forEach(i -> taken.put(elements.get(i).id, i));
        if (!taken.isEmpty()) {
            taken.keySet().retainAll(Ids.taggedWith(etag, collection, taken.keySet()));
        }
        return Set.copyOf(taken.values());
    }

    /// The write model of the requested mode.
    WriteModel<RawBsonDocument> model(DataRequest request) {
        return switch (request.parameters().writeMode().orElse(WriteMode.INSERT)) {
            case INSERT -> new InsertOneModel<>(document);
            case UPDATE -> new ReplaceOneModel<>(filter(request.writeFilter()), document, options(request));
            case UPSERT ->
                new ReplaceOneModel<>(
                        filter(request.writeFilter(), BatchTag.unchanged(request.http())),
                        document,
                        options(request).upsert(true));
        };
    }

    private static ReplaceOptions options(DataRequest request) {
        return new ReplaceOptions().hint(Ids.hint(request.parameters().find().filter()));
    }

    private BsonDocument filter(BsonDocument... others) {
        var filter = Ids.equal(id);
        var conditions = Arrays.stream(others).filter(each -> !each.isEmpty()).toList();
        return conditions.isEmpty() ? filter : filter.append("$and", new BsonArray(conditions));
    }
}
