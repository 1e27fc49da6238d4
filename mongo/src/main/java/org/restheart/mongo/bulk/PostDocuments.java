package org.restheart.mongo.bulk;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.RESERVED_NAME;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.mongo.Collections;
import org.restheart.mongo.DataHandler;
import org.restheart.mongo.DataRequest;
import org.restheart.mongo.content.NewDocument;
import org.restheart.mongo.parameter.WriteMode;
import org.restheart.mongo.resource.Names;
import org.restheart.mongo.write.Ids;
import org.restheart.mongo.write.Locations;
import org.restheart.mongo.write.WrittenCheck;

/// `POST /{db}/{collection}` with an array: every element is tried, in no order; all get the same entity tag.
public final class PostDocuments implements DataHandler {
    private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

    private final Collections collections;
    private final WrittenCheck writtenCheck;

    public PostDocuments(Collections collections) {
        this.collections = collections;
        this.writtenCheck = new WrittenCheck(collections);
    }

    /// An element on its way.
    private record Element(BsonValue id, RawBsonDocument document) {}

    @Override
    public Response handle(DataRequest request) {
        var etag = new ObjectId();
        var elements = elements(request, request.content().asArray(), etag);
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
            var failed = new HashSet<Integer>();
            e.getWriteErrors().forEach(error -> failed.add(error.getIndex()));
            return answer(request, elements, e.getWriteResult(), BulkReport.errors(e), failed);
        }
    }

    private static List<Element> elements(DataRequest request, BsonArray content, ObjectId etag) {
        if (content.isEmpty()) {
            throw Problem.of(CONTENT_INVALID, "no data provided").raise();
        }
        var elements = new ArrayList<Element>(content.size());
        for (var element : content) {
            var fields = NewDocument.of(request, element.asDocument());
            var id = Optional.ofNullable(fields.get("_id")).orElseGet(() -> generated(request));
            if (Names.isReservedId(id)) {
                throw Problem.of(
                                RESERVED_NAME,
                                "id is reserved: " + id.asString().getValue())
                        .raise();
            }
            elements.add(new Element(id, NewDocument.encode(NewDocument.tagged(id, fields, etag))));
        }
        return elements;
    }

    private static BsonValue generated(DataRequest request) {
        request.parameters().idType().requireGenerated();
        return new BsonObjectId();
    }

    private static List<WriteModel<RawBsonDocument>> models(DataRequest request, List<Element> elements) {
        var mode = request.parameters().writeMode().orElse(WriteMode.INSERT);
        var others = request.writeFilter();
        var replacing = new ReplaceOptions().upsert(mode == WriteMode.UPSERT);
        var models = new ArrayList<WriteModel<RawBsonDocument>>(elements.size());
        for (var element : elements) {
            models.add(
                    mode == WriteMode.INSERT
                            ? new InsertOneModel<>(element.document())
                            : new ReplaceOneModel<>(filter(element.id(), others), element.document(), replacing));
        }
        return models;
    }

    private static BsonDocument filter(BsonValue id, BsonDocument others) {
        var filter = Ids.equal(id);
        return others.isEmpty() ? filter : filter.append("$and", new BsonArray(List.of(others)));
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
        return BulkResponses.of(request, BulkReport.of(result, links, errors));
    }
}
