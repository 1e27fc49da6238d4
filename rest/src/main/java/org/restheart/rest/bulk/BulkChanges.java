package org.restheart.rest.bulk;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.DeleteManyModel;
import com.mongodb.client.model.DeleteOptions;
import com.mongodb.client.model.UpdateManyModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.WriteModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.restheart.bson.fields.Update;
import org.restheart.http.FoundWarnings;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.WriteBounds;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.write.BulkWrites;
import org.restheart.mongo.write.CheckedChanges;
import org.restheart.mongo.write.StoredCondition;
import org.restheart.rest.content.ContentSize;
import org.restheart.rest.content.FilterFields;
import org.restheart.rest.content.ServerFields;
import org.restheart.rest.content.UpdateContent;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.DataRequest.DocumentValidation;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.exchange.WrittenCheck;
import org.restheart.rest.guard.HiddenFields;

/// `PATCH` and `DELETE` of all documents that a filter matches, each one statement that is sent as a bulk write, so
/// that its errors have the format of bulk writes. Thread-safe.
///
/// @param timeLimit after which MongoDB aborts it, if the request has no stricter one; zero for no limit
public record BulkChanges(RequestCollections collections, Duration timeLimit) {
    /// `PATCH /{db}/{collection}/*`: changes every document that the filter matches; their entity tags stay. Where the
    /// collection validates its documents, those that it refuses stay as they are.
    public Response patch(DataRequest request) {
        ContentSize.check(request);
        HiddenFields.checkChange(
                request.grant(), request.contentDocument(), request.parameters().arrayFilters());
        var fields = ServerFields.of(request);
        var update = UpdateContent.ofDocuments(
                fields, request.contentDocument(), request.parameters().arrayFilters());
        var condition = WrittenCheck.condition(request.grant());
        if (condition.isPresent() && FilterFields.mayLeave(condition.get(), update, fields.merged())) {
            throw StoredCondition.outside();
        }
        request.http().requireThread();
        requireFew(request);
        var validation = request.validation().filter(schema -> !schema.skipsUnsupported());
        return validation.isPresent()
                ? checked(request, validation.get(), update)
                : run(
                        request,
                        new UpdateManyModel<>(request.writeFilter(), update.document(), options(request, update)));
    }

    /// `DELETE /{db}/{collection}/*`: removes every document that the filter matches.
    public Response delete(DataRequest request) {
        request.http().requireThread();
        requireFew(request);
        var options = new DeleteOptions().collation(request.collation().orElse(null));
        return run(request, new DeleteManyModel<>(request.writeFilter(), options));
    }

    /// Counts before anything is changed, no further than it has to. Within the snapshot of a transaction, the change
    /// is of the same documents.
    ///
    /// @throws ProblemException 400 if there are more than the client allows
    private void requireFew(DataRequest request) {
        var most = request.http().attribute(WriteBounds.MAX_AFFECTED);
        if (most.isEmpty()) {
            return;
        }
        long found = 0;
        var documents = collections
                .inSession(request)
                .find(request.writeFilter())
                .projection(new BsonDocument("_id", new BsonInt32(1)))
                .collation(request.collation().orElse(null));
        try (var cursor = documents.cursor()) {
            for (; cursor.hasNext(); found++) {
                if (found == most.get()) {
                    throw new ProblemException(
                            ProblemCode.MAX_AFFECTED_EXCEEDED,
                            "more than " + most.get() + " documents match, the bound max-affected: nothing is changed");
                }
                var _ = cursor.next();
            }
        }
    }

    private static UpdateOptions options(DataRequest request, Update.Operators update) {
        var options = new UpdateOptions().collation(request.collation().orElse(null));
        return update.arrayFilters().isEmpty() ? options : options.arrayFilters(update.arrayFilters());
    }

    /// A change of many documents of a collection with validation: of each document that it refuses the report has an
    /// error, with its `_id` and the reason as far as the caller may know them.
    ///
    /// @throws org.restheart.http.ProblemException 400 for a refused document within a transaction of the
    ///     client; 408 after the time limit, when some documents may be changed
    private Response.Ready checked(DataRequest request, DocumentValidation validation, Update.Operators update) {
        refuseCollation(request);
        boolean disclose = !HiddenFields.hidesErrorDetails(request.http());
        var changes = new CheckedChanges(
                collections.client(),
                collections.of(request),
                request.session(),
                request.writeFilter(),
                update,
                document -> validation.check(document, disclose),
                request.http().attribute(RequestCollections.REHEARSAL).isPresent());
        var outcome = changes.run(timeLimit).orElseThrow(() -> outOfTime(timeLimit));
        var errors = new ArrayList<BsonDocument>();
        outcome.refusals().stream()
                .limit(disclose ? outcome.refusals().size() : 1) // how many says what others hold
                .forEach(refusal -> errors.add(error(refusal, disclose)));
        outcome.failure()
                .ifPresent(failure -> BulkWrites.errors(failure).stream()
                        .map(error -> BulkWrites.at(0, error)) // of the one statement that the client has sent
                        .forEach(error -> errors.addAll(BulkReport.errors(request, List.of(error)))));
        return new BulkReport(
                        0,
                        List.of(),
                        List.of(),
                        0,
                        Math.toIntExact(disclose ? outcome.modified() : outcome.changed()),
                        Math.toIntExact(outcome.matched()),
                        errors,
                        disclose ? outcome.refused() - outcome.refusals().size() : 0)
                .response(request);
    }

    /// The documents are changed by their ids, and ids that a collation takes for equal would be changed twice.
    ///
    /// @throws org.restheart.http.ProblemException 400 for the parameter; the collection's default does not count
    private static void refuseCollation(DataRequest request) {
        if (request.collation().isEmpty()) {
            return;
        }
        if (request.parameters().collation().isPresent()) {
            throw new ProblemException(
                    ProblemCode.PARAMETER_INVALID,
                    "many documents of a collection with a schema are changed without a collation");
        }
        FoundWarnings.add(
                request.http(),
                "the property mongo.collation has no effect on a change of many documents with a schema");
    }

    private static BsonDocument error(CheckedChanges.Refusal refusal, boolean disclose) {
        var error = new BsonDocument("index", new BsonInt32(0));
        if (disclose) {
            error.append("_id", refusal.id());
        }
        return BulkReport.described(error, refusal.why());
    }

    /// @throws org.restheart.http.ProblemException 408 after the time limit, when some documents may be changed
    private Response.Ready run(DataRequest request, WriteModel<RawBsonDocument> statement) {
        try {
            var result = ConnectionRetry.repeatedUnsent(
                    () -> BulkWrites.inOrder(request.session(), limited(request), List.of(statement)));
            return result.wasAcknowledged()
                    ? BulkReport.of(request, result, List.of(), List.of()).response(request)
                    : BulkReport.unacknowledged(request);
        } catch (MongoBulkWriteException e) {
            return BulkReport.of(
                            request, e.getWriteResult(), List.of(), BulkReport.errors(request, BulkWrites.errors(e)))
                    .response(request);
        } catch (MongoOperationTimeoutException _) {
            throw outOfTime(limit(request));
        }
    }

    private static ProblemException outOfTime(Duration timeLimit) {
        return new ProblemException(
                ProblemCode.QUERY_TIMED_OUT,
                "the change took longer than " + timeLimit.toMillis()
                        + " ms: some of the documents may have been changed");
    }

    /// A transaction has a limit of its own.
    private MongoCollection<RawBsonDocument> limited(DataRequest request) {
        var collection = collections.of(request);
        boolean inTransaction =
                request.session().filter(ClientSession::hasActiveTransaction).isPresent();
        var limit = limit(request);
        return limit.isZero() || inTransaction
                ? collection
                : collection.withTimeout(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /// The stricter one of the server's and the request's own limit; zero for none.
    private Duration limit(DataRequest request) {
        return request.readSettings(timeLimit).timeLimit();
    }
}
