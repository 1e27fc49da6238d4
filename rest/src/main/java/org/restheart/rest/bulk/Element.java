package org.restheart.rest.bulk;

import static org.restheart.http.ProblemCode.RESERVED_NAME;

import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.http.ProblemException;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.mongo.write.BulkWrites.Tried;
import org.restheart.mongo.write.BulkWrites.Writes;
import org.restheart.mongo.write.EntityTags;
import org.restheart.mongo.write.Ids;
import org.restheart.mongo.write.WriteMode;
import org.restheart.rest.content.Storable;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.idempotency.Creation.NewIds;

record Element(BsonValue id, RawBsonDocument document) {

    /// @throws org.restheart.http.ProblemException 400, 403, 413
    static Element of(DataRequest request, BsonDocument content, NewIds ids) {
        var fields = Storable.valid(request, content);
        var given = fields.id();
        if (given.isEmpty()) {
            request.parameters().idType().requireGenerated();
        }
        var id = given.orElseGet(ids.sequence());
        if (ResourceNames.isReservedId(id)) {
            throw new ProblemException(
                    RESERVED_NAME, "id is reserved: " + id.asString().getValue());
        }
        return new Element(id, fields.encode(id, ids.etag()));
    }

    /// @param errors of those that are not stored, each with its position
    /// @param created the ids of new documents
    record Written(List<BulkWriteError> errors, List<BsonValue> created) {}

    static Writes writes(
            DataRequest request,
            List<Element> elements,
            MongoCollection<RawBsonDocument> collection,
            boolean ordered,
            NewIds ids) {
        var models =
                elements.stream().map(element -> element.model(request, ids)).toList();
        var rehearsal = request.http().attribute(RequestCollections.REHEARSAL);
        return new Writes(collection, request.session(), models, ordered, ids.most(), rehearsal);
    }

    /// Blocks for MongoDB if an earlier attempt may have stored some.
    static Written written(DataRequest request, List<Element> elements, Writes writes, Tried tried, NewIds ids) {
        var earlier = ids.mayRepeat()
                ? storedEarlier(elements, tried.errors(), ids.etag(), writes.collection())
                : Set.<Integer>of();
        var errors = tried.errors().stream()
                .filter(error -> !earlier.contains(error.getIndex()))
                .toList();
        var created = new ArrayList<BsonValue>();
        if (mode(request) == WriteMode.INSERT) {
            var failed = new BitSet();
            errors.forEach(error -> failed.set(error.getIndex()));
            // MongoDB aborts a transaction with what fails first
            boolean isAborted =
                    writes.session().isPresent() && writes.rehearsal().isEmpty();
            boolean stops = !errors.isEmpty() && (writes.ordered() || isAborted);
            int end = stops ? failed.nextSetBit(0) : elements.size();
            for (int i = failed.nextClearBit(0); i < end; i = failed.nextClearBit(i + 1)) {
                created.add(elements.get(i).id);
            }
        } else {
            tried.result().getUpserts().forEach(upsert -> created.add(upsert.getId()));
        }
        return new Written(errors, created);
    }

    private static WriteMode mode(DataRequest request) {
        return request.parameters().writeMode().orElse(WriteMode.INSERT);
    }

    /// The positions of those refused elements that an earlier attempt of the same request has stored. Of several with
    /// one id that can only be the first: the others fail in every attempt. Blocks for MongoDB.
    private static Set<Integer> storedEarlier(
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

    private WriteModel<RawBsonDocument> model(DataRequest request, NewIds ids) {
        return switch (mode(request)) {
            case INSERT -> new InsertOneModel<>(document);
            case UPDATE -> new ReplaceOneModel<>(filter(request.writeFilter()), document, options(request));
            case UPSERT ->
                new ReplaceOneModel<>(
                        filter(request.writeFilter(), unchanged(ids)),
                        document,
                        options(request).upsert(true));
        };
    }

    /// A condition on a document that is replaced. An earlier attempt may have replaced it before somebody else has
    /// changed it: then it has an entity tag that is newer than that attempt.
    private static BsonDocument unchanged(NewIds ids) {
        return ids.firstAttempt()
                .map(first -> {
                    var newer =
                            new BsonDocument("$gte", new BsonObjectId(ObjectId.getSmallestWithDate(Date.from(first))));
                    return new BsonDocument(
                            "$or",
                            new BsonArray(List.of(
                                    new BsonDocument(EntityTags.FIELD, new BsonObjectId(ids.etag())),
                                    new BsonDocument(EntityTags.FIELD, new BsonDocument("$not", newer)))));
                })
                .orElseGet(BsonDocument::new);
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
