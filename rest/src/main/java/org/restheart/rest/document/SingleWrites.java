package org.restheart.rest.document;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.NOT_FOUND;

import com.mongodb.ReadPreference;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.bson.RawDocuments;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.Via;
import org.restheart.mongo.write.DocumentWrite;
import org.restheart.mongo.write.DocumentWrite.Change;
import org.restheart.mongo.write.DocumentWrite.Judge;
import org.restheart.mongo.write.EntityTags;
import org.restheart.mongo.write.Ids;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.rest.content.ContentSize;
import org.restheart.rest.content.FilterFields;
import org.restheart.rest.content.ServerFields;
import org.restheart.rest.content.Storable;
import org.restheart.rest.content.UpdateContent;
import org.restheart.rest.exchange.CoalescedResponses;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.exchange.Preconditions;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.exchange.WriteResponses;
import org.restheart.rest.exchange.WrittenCheck;
import org.restheart.rest.guard.HiddenFields;

/// The writes of one document, by the id in the path of a request, and their results for services that make
/// judged requests.
///
/// Whether the document was modified is determined by comparing it before and after, without its tag. With
/// concurrent writes it may count as modified although this write did nothing. For callers with hidden fields
/// it always counts as modified.
///
/// Thread-safe.
public record SingleWrites(RequestCollections collections, Preconditions preconditions, CoalescedResponses writes) {
    private static final int MAX_ATTEMPTS = 10;
    private static final String TAG_REQUIRED = "The document's ETag must be provided using the 'If-Match' header";

    /// `PUT /{db}/{collection}/{id}`: replaces a document; with `wm=upsert` also inserts it. `PUT /{db}/_schemas/{id}`
    /// does the same with a JSON Schema.
    public Response put(DataRequest request) {
        ContentSize.check(request);
        var etag = new ObjectId();
        var content = Storable.of(request, request.contentDocument());
        if (content.id().filter(id -> !id.equals(request.id())).isPresent()) {
            throw new ProblemException(CONTENT_INVALID, "_id in content body is different than id in URL");
        }
        var document = content.encode(request.id(), etag);
        var check = WrittenCheck.of(collections, request);
        var judge = new Judge(collections.client(), replacement -> {
            request.validation().ifPresent(schema -> schema.check(content.content(), true));
            check.ifPresent(asked -> asked.check(List.of(replacement)));
        });
        boolean isJudged = request.validation().isPresent() || check.isPresent();
        return write(
                request,
                target(request)
                        .replacing(document, mode(request))
                        .judgedBy(Optional.of(judge).filter(_ -> isJudged)),
                outcome -> WriteResponses.of(request, outcome, etag.toHexString(), TAG_REQUIRED));
    }

    /// `PATCH /{db}/{collection}/{id}`: changes fields of a document, by operators or by a pipeline.
    public Response patch(DataRequest request) {
        ContentSize.check(request);
        var etag = new ObjectId();
        HiddenFields.checkChange(
                request.grant(), request.content(), request.parameters().arrayFilters());
        var fields = ServerFields.of(request);
        var update = UpdateContent.ofDocument(
                fields, request.id(), request.content(), request.parameters().arrayFilters(), etag);
        var mode = mode(request);
        var judge = WrittenCheck.ofUpdate(
                collections,
                request,
                condition -> mode != WriteMode.UPDATE || FilterFields.mayLeave(condition, update, fields.merged()));
        return write(
                request,
                target(request).updating(update, mode).judgedBy(judge),
                outcome -> WriteResponses.of(
                        request, outcome, etag.toHexString(), "The ETag must be provided using the 'If-Match' header"));
    }

    /// `DELETE /{db}/{collection}/{id}`.
    public Response delete(DataRequest request) {
        return write(request, target(request).deleting(), outcome -> WriteResponses.of(outcome, TAG_REQUIRED));
    }

    private static WriteMode mode(DataRequest request) {
        return request.parameters().writeMode().orElse(WriteMode.UPDATE);
    }

    /// The document of the request's path, under the request's write filter and precondition.
    private TargetDocument target(DataRequest request) {
        return new TargetDocument(
                collections.inSession(request), request.id(), request.writeFilter(), preconditions.ofDocument(request));
    }

    /// A change of many documents; that of a service inserts one in mode `upsert` if none matches.
    public DataHandler orInserting(DataHandler many) {
        return request -> {
            if (!Via.isService(request.http()) || mode(request) != WriteMode.UPSERT) {
                return many.handle(request);
            }
            request.http().requireThread();
            return first(request).isPresent() ? many.handle(request) : patch(request.withNewId(newId(request)));
        };
    }

    /// A write of one document that matches a filter, which services ask for: finds its id, then writes it. The
    /// write has the filter too, so that a document that has changed in between is not written and another one is
    /// searched. In mode `upsert` a document is inserted when none matches.
    public DataHandler ofOne(DataHandler write) {
        return request -> {
            request.http().requireThread();
            for (int attempt = 1; ; attempt++) {
                var id = first(request);
                if (id.isEmpty() && mode(request) != WriteMode.UPSERT) {
                    return JsonResponses.empty(200).saying(DataWrite.Report.changed(0, 0));
                }
                try {
                    return write.handle(id.map(request::withId).orElseGet(() -> request.withNewId(newId(request))));
                } catch (ProblemException e) {
                    if (id.isEmpty() || e.problem().code() != NOT_FOUND || attempt == MAX_ATTEMPTS) {
                        throw e;
                    }
                }
            }
        };
    }

    /// The id of a document that the request may write.
    private Optional<BsonValue> first(DataRequest request) {
        var found = collections
                .inSession(request)
                .with(ReadPreference.primary())
                .find(request.writeFilter())
                .projection(new BsonDocument("_id", new BsonInt32(1)))
                .first();
        return Optional.ofNullable(found).map(document -> document.get("_id"));
    }

    /// The id in the filter or in the content, as in MongoDB's upserts, else a new one.
    private static BsonValue newId(DataRequest request) {
        return idInFilter(request).or(() -> idInContent(request)).orElseGet(() -> new BsonObjectId(new ObjectId()));
    }

    private static Optional<BsonValue> idInContent(DataRequest request) {
        return request.content() instanceof BsonDocument content
                ? Stream.of(content, content.get("$setOnInsert"), content.get("$set"))
                        .flatMap(part -> part instanceof BsonDocument fields
                                ? Stream.ofNullable(fields.get("_id"))
                                : Stream.empty())
                        .findFirst()
                : Optional.empty();
    }

    private static Optional<BsonValue> idInFilter(DataRequest request) {
        var asked = request.parameters().find().filter().get("_id");
        if (asked != null && asked.isDocument() && asked.asDocument().containsKey("$eq")) {
            asked = asked.asDocument().get("$eq");
        }
        return Optional.ofNullable(asked)
                .filter(value -> !value.isRegularExpression()
                        && !value.isArray()
                        && !(value.isDocument()
                                && value.asDocument().keySet().stream().anyMatch(name -> name.startsWith("$"))));
    }

    /// Executes a write; without others, if its result has to be reported to a service, which waits for that.
    private Response write(DataRequest request, DocumentWrite write, Function<WriteOutcome, Response.Ready> answer) {
        if (!Via.isService(request.http())) {
            return writes.write(write, request.resource().plain(), answer);
        }
        request.http().requireThread();
        // whether it was modified would reveal its content
        boolean compares = request.grant().showsAll() && !(write.change() instanceof Change.Removal);
        var before = compares ? read(request) : Optional.empty();
        var outcome = write.alone();
        return answer.apply(outcome)
                .saying(
                        switch (outcome) {
                            case WriteOutcome.Created _ -> DataWrite.Report.upserted(request.id());
                            case WriteOutcome.Deleted _ -> DataWrite.Report.deleted(1);
                            default -> DataWrite.Report.changed(1, compares && before.equals(read(request)) ? 0 : 1);
                        });
    }

    private Optional<RawBsonDocument> read(DataRequest request) {
        var stored = collections
                .inSession(request)
                .with(ReadPreference.primary())
                .find(Ids.equal(request.id()))
                .first();
        return Optional.ofNullable(stored)
                .map(document ->
                        RawDocuments.edit(document).remove(EntityTags.FIELD).toDocument());
    }
}
