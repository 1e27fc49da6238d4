package org.restheart.rest.bulk;

import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.exchange.Locations;
import org.restheart.rest.guard.HiddenFields;
import org.restheart.rest.parameter.FormatParameters.Representation;

/// The result of a bulk write, as the caller may know it: without MongoDB's messages and without the number of
/// documents that already had the new values, if fields or documents are hidden from the caller.
///
/// @param inserted upserts included
/// @param created the ids of inserted documents, as far as they are known
/// @param links to these
/// @param errors of single elements, each with its position; the others were written
/// @param omitted errors that are not listed
record BulkReport(
        int inserted,
        List<BsonValue> created,
        List<String> links,
        int deleted,
        int modified,
        int matched,
        List<BsonDocument> errors,
        long omitted) {
    private static final String HAL = "application/hal+json";

    BulkReport {
        created = List.copyOf(created);
        links = List.copyOf(links);
        errors = List.copyOf(errors);
    }

    /// @param created none for a statement about many documents
    static BulkReport of(
            DataRequest request, BulkWriteResult result, List<BsonValue> created, List<BsonDocument> errors) {
        return new BulkReport(
                created.size(),
                created,
                Locations.paths(request, created),
                result.getDeletedCount(),
                modified(request, result),
                result.getMatchedCount(),
                errors,
                0);
    }

    /// The number of modified documents; for callers with hidden fields, that of matched ones, since the
    /// difference reveals values of documents.
    static int modified(DataRequest request, BulkWriteResult result) {
        return HiddenFields.hidesErrorDetails(request.http()) ? result.getMatchedCount() : result.getModifiedCount();
    }

    /// The errors of single elements of a bulk write that failed in part.
    static List<BsonDocument> errors(DataRequest request, List<BulkWriteError> errors) {
        return errors.stream()
                .map(error -> error(request, new BsonDocument("index", new BsonInt32(error.getIndex())), error))
                .toList();
    }

    /// @param document identifies the element; changed
    static BsonDocument error(DataRequest request, BsonDocument document, BulkWriteError error) {
        if (MongoCodes.isDuplicateId(error)) {
            return document.append("httpStatus", new BsonInt32(409));
        }
        if (error.getCode() == MongoCodes.MAX_TIME_EXPIRED) { // the text is the gateway's own
            return described(document, MongoCodes.blocked());
        }
        if (MongoCodes.isDiskFull(error.getCode(), error.getMessage())) {
            return described(document, MongoCodes.diskFull());
        }
        if (error.getCode() == 2) {
            document.append("httpStatus", new BsonInt32(400));
        } else {
            document.append("mongodbErrorCode", new BsonInt32(error.getCode()))
                    .append("httpStatus", new BsonInt32(404));
        }
        return HiddenFields.hidesErrorDetails(request.http()) ? document : document.append("message", message(error));
    }

    /// @param document changed
    static BsonDocument described(BsonDocument document, Problem problem) {
        return document.append("httpStatus", new BsonInt32(problem.status()))
                .append("message", new BsonString(problem.message()));
    }

    private static BsonString message(BulkWriteError error) {
        return new BsonString(
                error.getCode() == 2
                        ? "Invalid query parameter: " + error.getMessage()
                        : MongoCodes.ofWriteError(error.getCode(), error.getMessage())
                                .message());
    }

    /// The counters, in their documented order.
    BsonDocument counters() {
        return new BsonDocument("inserted", new BsonInt32(inserted))
                .append("deleted", new BsonInt32(deleted))
                .append("modified", new BsonInt32(modified))
                .append("matched", new BsonInt32(matched));
    }

    BsonDocument toDocument() {
        var document = document(inserted, BsonTexts.array(links), deleted, modified, matched, errors);
        return omitted == 0 ? document : document.append("errorsOmitted", new BsonInt64(omitted));
    }

    static BsonDocument document(
            long inserted,
            BsonArray links,
            long deleted,
            long modified,
            long matched,
            List<? extends BsonValue> errors) {
        var document = new BsonDocument("inserted", BsonValues.number(inserted))
                .append("links", links)
                .append("deleted", BsonValues.number(deleted))
                .append("modified", BsonValues.number(modified))
                .append("matched", BsonValues.number(matched));
        return errors.isEmpty() ? document : document.append("errors", new BsonArray(errors));
    }

    /// The response in the requested representation; partial failures always have the standard one.
    Response.Ready response(DataRequest request) {
        return represented(request)
                .saying(new DataWrite.Report(matched, modified, deleted, created, Optional.empty(), errors, true));
    }

    private Response.Ready represented(DataRequest request) {
        if (!errors.isEmpty()) {
            return JsonResponses.of(request, 207, toDocument());
        }
        return switch (request.parameters().format().representation()) {
            case Representation.STANDARD -> JsonResponses.of(request, 200, toDocument());
            case Representation.HAL -> JsonResponses.of(request, 200, embedded(linked()), HAL);
            case Representation.SHAL -> JsonResponses.of(request, 200, linked(), HAL);
        };
    }

    static Response.Ready unacknowledged(DataRequest request) {
        return JsonResponses.of(request, 200, new BsonDocument());
    }

    private static BsonDocument embedded(BsonDocument result) {
        return new BsonDocument("_embedded", new BsonDocument("rh:result", new BsonArray(List.of(result))));
    }

    private BsonDocument linked() {
        if (links.isEmpty()) {
            return counters();
        }
        var created = new BsonArray();
        links.forEach(href -> created.add(new BsonDocument("href", new BsonString(href))));
        return counters().append("_links", new BsonDocument("rh:newdoc", created));
    }
}
