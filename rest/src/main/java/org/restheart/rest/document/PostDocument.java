package org.restheart.rest.document;

import static org.restheart.http.ProblemCode.BAD_REQUEST;

import com.mongodb.MongoWriteException;
import com.mongodb.client.model.InsertOneModel;
import java.util.List;
import java.util.Optional;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.mongo.write.BulkWrites.Writes;
import org.restheart.mongo.write.Ids;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.rest.content.Storable;
import org.restheart.rest.exchange.CoalescedResponses;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.exchange.Locations;
import org.restheart.rest.exchange.Preconditions;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.exchange.WriteResponses;
import org.restheart.rest.exchange.WrittenCheck;
import org.restheart.rest.idempotency.Creation;
import org.restheart.rest.idempotency.Creation.NewIds;

/// `POST /{db}/{collection}` with one document: inserts it; with `wm=update` or `wm=upsert` stores it in place
/// of the one with the same id.
public record PostDocument(
        RequestCollections collections, Preconditions preconditions, CoalescedResponses writes, Locations locations)
        implements Creation {
    @Override
    public Response handle(DataRequest request, NewIds ids) {
        var fields = Storable.valid(request, request.content().asDocument());
        var given = id(request, fields);
        return switch (request.parameters().writeMode().orElse(WriteMode.INSERT)) {
            case INSERT -> insert(request, given.orElseGet(ids.sequence()), fields, ids);
            case UPSERT -> replace(request, given.orElseGet(ids.sequence()), fields, WriteMode.UPSERT, ids);
            case UPDATE ->
                replace(
                        request,
                        given.orElseThrow(() -> Problem.helpful(BAD_REQUEST, "wm=update needs the _id of the document")
                                .raise()),
                        fields,
                        WriteMode.UPDATE,
                        ids);
        };
    }

    private static Optional<BsonValue> id(DataRequest request, Storable fields) {
        var id = fields.id();
        if (id.isEmpty()) {
            request.parameters().idType().requireGenerated();
        } else {
            ResourceNames.requireUnreserved(id.get());
        }
        return id;
    }

    /// With a time limit of each operation, if somebody may repeat the request.
    private RequestCollections collections(NewIds ids) {
        return ids.most().isPresent() ? collections.within(SessionCollection.LONGEST_WRITE) : collections;
    }

    private Response insert(DataRequest request, BsonValue id, Storable fields, NewIds ids) {
        var etag = ids.etag();
        var collections = collections(ids);
        var document = fields.encode(id, etag);
        WrittenCheck.check(collections, request, List.of(document));
        if (request.session().isPresent()) {
            return insertInSession(request, document, id, etag);
        }
        var collection = collections.of(request);
        var insert = new Writes(
                collection,
                Optional.empty(),
                List.of(new InsertOneModel<>(document)),
                false,
                ids.most(),
                Optional.empty());
        return writes.write(insert, false, tried -> {
            var errors = tried.errors();
            if (errors.isEmpty()
                    || (ids.mayRepeat()
                            && MongoCodes.isDuplicateId(errors.getFirst())
                            && !Ids.taggedWith(etag, collection, List.of(id)).isEmpty())) {
                return created(request, id, etag);
            }
            throw WriteResponses.refusal(errors.getFirst());
        });
    }

    /// Inserts the document without coalescing.
    private Response insertInSession(DataRequest request, RawBsonDocument document, BsonValue id, ObjectId etag) {
        request.http().requireThread();
        try {
            collections.inSession(request).insertOne(document);
        } catch (MongoWriteException e) {
            throw WriteResponses.refusal(e.getError());
        }
        return created(request, id, etag);
    }

    private Response replace(DataRequest request, BsonValue id, Storable fields, WriteMode mode, NewIds ids) {
        request.http().requireThread();
        var etag = ids.etag();
        var collections = collections(ids);
        var document = fields.encode(id, etag);
        WrittenCheck.check(collections, request, List.of(document));
        var target = new TargetDocument(
                collections.inSession(request), id, request.writeFilter(), preconditions.ofCollection(request));
        var outcome = target.replacing(document, mode).alone();
        return outcome instanceof WriteOutcome.Created
                ? created(request, id, etag)
                : WriteResponses.of(
                        request,
                        outcome,
                        etag.toHexString(),
                        "The document's ETag must be provided using the 'If-Match' header.");
    }

    private Response.Ready created(DataRequest request, BsonValue id, ObjectId etag) {
        return JsonResponses.empty(201)
                .with("ETag", etag.toHexString())
                .with("Location", locations.absolute(request, id))
                .saying(DataWrite.Report.inserted(List.of(id), List.of()));
    }
}
