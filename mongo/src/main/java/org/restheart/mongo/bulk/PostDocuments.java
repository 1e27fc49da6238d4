package org.restheart.mongo.bulk;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.HashSet;
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
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.write.Creation;
import org.restheart.mongo.write.DuplicateKeys;
import org.restheart.mongo.write.Earlier;
import org.restheart.mongo.write.Locations;
import org.restheart.mongo.write.NewIds;
import org.restheart.mongo.write.WrittenCheck;

/// `POST /{db}/{collection}` with an array: every element is tried, in no order; all get the same entity tag.
public final class PostDocuments implements Creation {
    private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

    private final Collections collections;
    private final WrittenCheck writtenCheck;

    public PostDocuments(Collections collections) {
        this.collections = collections;
        this.writtenCheck = new WrittenCheck(collections);
    }

    @Override
    public Response handle(DataRequest request, NewIds ids) {
        var etag = ids.etag();
        var elements = elements(request, request.content().asArray(), ids.sequence(), etag);
        request.http().requireThread();
        writtenCheck.check(request, elements.stream().map(Element::document).toList());
        var models = models(request, elements);
        var collection = collections.of(request);
        try {
            var result = collection.bulkWrite(models, UNORDERED);
            return result.wasAcknowledged()
                    ? answer(request, elements, result, List.of(), Set.of()).with("ETag", etag.toHexString())
                    : BulkResponses.unacknowledged(request);
        } catch (MongoBulkWriteException e) {
            var earlier = ids.mayRepeat() ? writtenEarlier(collection, elements, e, etag) : Set.<Integer>of();
            var failed = new HashSet<Integer>();
            e.getWriteErrors().forEach(error -> failed.add(error.getIndex()));
            failed.removeAll(earlier);
            var answer = answer(request, elements, e.getWriteResult(), BulkReport.errors(e, earlier), failed);
            return failed.isEmpty() ? answer.with("ETag", etag.toHexString()) : answer;
        }
    }

    /// The elements that an earlier attempt at the same request has written.
    private static Set<Integer> writtenEarlier(
            MongoCollection<RawBsonDocument> collection,
            List<Element> elements,
            MongoBulkWriteException e,
            ObjectId etag) {
        var taken = new LinkedHashMap<BsonValue, Integer>();
        e.getWriteErrors().stream()
                .filter(DuplicateKeys::isOfId)
                .map(BulkWriteError::getIndex)
                .filter(i -> isFirst(elements, i)) // the second of two that are the same fails at every attempt
                .forEach(i -> taken.put(elements.get(i).id(), i));
        var written = Earlier.attemptWrote(collection, List.copyOf(taken.keySet()), etag);
        taken.keySet().retainAll(written);
        return Set.copyOf(taken.values());
    }

    private static boolean isFirst(List<Element> elements, int index) {
        var id = elements.get(index).id();
        return elements.subList(0, index).stream()
                .noneMatch(before -> before.id().equals(id));
    }

    private static List<Element> elements(
            DataRequest request, BsonArray content, Supplier<BsonObjectId> ids, ObjectId etag) {
        if (content.isEmpty()) {
            throw Problem.of(CONTENT_INVALID, "no data provided").raise();
        }
        var elements = new ArrayList<Element>(content.size());
        for (var element : content) {
            elements.add(Element.of(request, element.asDocument(), ids, etag));
        }
        return elements;
    }

    private static List<WriteModel<RawBsonDocument>> models(DataRequest request, List<Element> elements) {
        return elements.stream().map(element -> element.model(request)).toList();
    }

    private static Response.Ready answer(
            DataRequest request,
            List<Element> elements,
            BulkWriteResult result,
            List<BsonDocument> errors,
            Set<Integer> failed) {
        var created = new ArrayList<BsonValue>();
        if (request.parameters().writeMode().orElse(WriteMode.INSERT) == WriteMode.INSERT) {
            for (int i = 0; i < elements.size(); i++) {
                if (!failed.contains(i)) {
                    created.add(elements.get(i).id());
                }
            }
        } else {
            result.getUpserts().forEach(upsert -> created.add(upsert.getId()));
        }
        var links = created.stream()
                .flatMap(id -> Locations.path(request, id).stream())
                .toList();
        return BulkResponses.of(request, BulkReport.of(result, created.size(), links, errors));
    }
}
