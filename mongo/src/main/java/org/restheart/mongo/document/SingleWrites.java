package org.restheart.mongo.document;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import com.mongodb.ReadPreference;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.Update;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestContent.DocumentCheck;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.content.ContentSize;
import org.restheart.mongo.content.FilterFields;
import org.restheart.mongo.content.Storable;
import org.restheart.mongo.content.UpdateContent;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.DocumentWrite;
import org.restheart.mongo.write.DocumentWrites;
import org.restheart.mongo.write.Ids;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;
import org.restheart.mongo.write.WriteResponses;
import org.restheart.mongo.write.WrittenCheck;

/// The writes of one document, by the id in the path of a request, and their results for services that make
/// judged requests.
///
/// Whether the document was modified is determined by comparing it before and after, without its tag. With
/// concurrent writes it may count as modified although this write did nothing. For callers with hidden fields
/// it always counts as modified.
///
/// Thread-safe.
public final class SingleWrites {
    private static final String TAG_REQUIRED = "The document's ETag must be provided using the 'If-Match' header";

    private final RequestCollections collections;
    private final Preconditions preconditions;
    private final DocumentWrites<WriteOutcome> writes;
    private final DocumentWrites<DeleteOutcome> deletes;

    /// @param writes executes replacements and updates
    public SingleWrites(
            RequestCollections collections,
            Preconditions preconditions,
            DocumentWrites<WriteOutcome> writes,
            DocumentWrites<DeleteOutcome> deletes) {
        this.collections = collections;
        this.preconditions = preconditions;
        this.writes = writes;
        this.deletes = deletes;
    }

    /// `PUT /{db}/{collection}/{id}`: replaces a document; with `wm=upsert` also inserts it. `PUT /{db}/_schemas/{id}`
    /// does the same with a JSON Schema.
    public Response put(DataRequest request) {
        ContentSize.check(request);
        var etag = new ObjectId();
        var document = replacement(request, etag);
        check(request, document);
        var target = target(request);
        var mode = request.parameters().writeMode().orElse(WriteMode.UPDATE);
        return write(
                request,
                target.replacing(document, mode),
                outcome -> WriteResponses.of(outcome, etag.toHexString(), TAG_REQUIRED));
    }

    private static RawBsonDocument replacement(DataRequest request, ObjectId etag) {
        var content = Storable.of(request, request.contentDocument());
        if (content.id().filter(id -> !id.equals(request.id())).isPresent()) {
            throw new ProblemException(CONTENT_INVALID, "_id in content body is different than id in URL");
        }
        return content.encode(request.id(), etag);
    }

    /// `PATCH /{db}/{collection}/{id}`: changes fields of a document, by operators or by a pipeline.
    public Response patch(DataRequest request) {
        ContentSize.check(request);
        var etag = new ObjectId();
        HiddenFields.checkChange(
                request.grant(), request.content(), request.parameters().arrayFilters());
        var update = UpdateContent.ofDocument(request, request.content(), etag);
        var target = target(request);
        var mode = request.parameters().writeMode().orElse(WriteMode.UPDATE);
        Function<WriteOutcome, Response.Ready> answer = outcome ->
                WriteResponses.of(outcome, etag.toHexString(), "The ETag must be provided using the 'If-Match' header");
        return isChecked(request, update, mode)
                ? runAndReport(request, () -> answer.apply(checked(request, target, update, mode)))
                : write(request, target.updating(update, mode), answer);
    }

    /// Whether the document has to be checked as it would be stored.
    private static boolean isChecked(DataRequest request, Update update, WriteMode mode) {
        return request.validation().isPresent()
                || request.http().attribute(DocumentCheck.KEY).isPresent()
                || mayLeaveGrant(request, update, mode);
    }

    private WriteOutcome checked(DataRequest request, TargetDocument target, Update update, WriteMode mode) {
        return target.update(update, mode, collections.client(), document -> {
            check(request, document);
            // violations reveal the document's content
            request.validation()
                    .ifPresent(validation ->
                            validation.check(document, request.grant().showsAll()));
        });
    }

    private static boolean mayLeaveGrant(DataRequest request, Update update, WriteMode mode) {
        return WrittenCheck.condition(request)
                .filter(condition -> mode != WriteMode.UPDATE
                        || FilterFields.mayLeave(
                                condition, update, request.grant().mergeRequest()))
                .isPresent();
    }

    /// `DELETE /{db}/{collection}/{id}`.
    public Response delete(DataRequest request) {
        var target = target(request);
        // the service that made the request waits for the report
        var uncoalesced = request.http().attribute(DataWrite.KEY).isPresent();
        return (uncoalesced ? DocumentWrites.<DeleteOutcome>uncoalesced() : deletes)
                .write(request.http(), request.resource().plain(), target.deleting(), outcome -> {
                    var response = WriteResponses.of(outcome, TAG_REQUIRED);
                    DataWrite.report(request.http(), DataWrite.Report.deleted(1));
                    return response;
                });
    }

    /// See [WrittenCheck#check].
    private void check(DataRequest request, RawBsonDocument document) {
        WrittenCheck.check(collections, request, List.of(document));
    }

    /// The document of the request's path, under the request's write filter and precondition.
    private TargetDocument target(DataRequest request) {
        return new TargetDocument(
                SessionCollection.of(collections, request),
                request.id(),
                request.writeFilter(),
                preconditions.ofDocument(request));
    }

    /// Executes a write, coalesced unless its result has to be reported to a service.
    ///
    /// @param answer responds with 201 when the write has created the document
    private Response write(
            DataRequest request, DocumentWrite<WriteOutcome> write, Function<WriteOutcome, Response.Ready> answer) {
        return request.http().attribute(DataWrite.KEY).isEmpty()
                ? writes.write(request.http(), request.resource().plain(), write, answer)
                : runAndReport(request, () -> answer.apply(write.uncoalesced()));
    }

    /// @param write responds with 201 when it has created the document
    private Response.Ready runAndReport(DataRequest request, Supplier<Response.Ready> write) {
        request.http().requireThread();
        if (request.http().attribute(DataWrite.KEY).isEmpty()) {
            return write.get();
        }
        if (!request.grant().showsAll()) {
            return report(request, write.get(), true); // whether it was modified would reveal its content
        }
        var before = read(request);
        var response = write.get();
        return report(request, response, response.status() == 201 || !before.equals(read(request)));
    }

    private static Response.Ready report(DataRequest request, Response.Ready response, boolean modified) {
        if (response.status() == 201) {
            DataWrite.report(request.http(), DataWrite.Report.upserted(request.id()));
        } else {
            DataWrite.report(request.http(), DataWrite.Report.changed(1, modified ? 1 : 0));
        }
        return response;
    }

    private Optional<RawBsonDocument> read(DataRequest request) {
        var stored = SessionCollection.of(collections, request)
                .with(ReadPreference.primary())
                .find(Ids.equal(request.id()))
                .first();
        return Optional.ofNullable(stored)
                .map(document ->
                        RawDocuments.edit(document).remove(EntityTags.FIELD).toDocument());
    }
}
