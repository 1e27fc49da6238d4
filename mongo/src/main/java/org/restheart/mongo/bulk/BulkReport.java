package org.restheart.mongo.bulk;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.write.BulkInserts;
import org.restheart.mongo.write.DuplicateKeys;

/// The result of a bulk write.
///
/// @param inserted upserts included
/// @param links to the inserted documents
/// @param errors of single elements, each with its position; the others were written
record BulkReport(int inserted, List<String> links, int deleted, int modified, int matched, List<BsonDocument> errors) {
    BulkReport {
        links = List.copyOf(links);
        errors = List.copyOf(errors);
    }

    static BulkReport of(BulkWriteResult result, List<BsonDocument> errors) {
        return of(result, result.getInsertedCount() + result.getUpserts().size(), List.of(), errors);
    }

    static BulkReport of(BulkWriteResult result, int inserted, List<String> links, List<BsonDocument> errors) {
        return new BulkReport(
                inserted, links, result.getDeletedCount(), result.getModifiedCount(), result.getMatchedCount(), errors);
    }

    /// The report of an insert.
    static BulkReport ofInserted(int inserted, List<String> links, List<BsonDocument> errors) {
        return new BulkReport(inserted, links, 0, 0, 0, errors);
    }

    /// The errors of single elements of a bulk write that failed in part.
    ///
    /// @param except elements that do not count as errors
    /// @throws MongoBulkWriteException the same one, if more failed than single elements
    static List<BsonDocument> errors(MongoBulkWriteException e, Set<Integer> except) {
        return errors(BulkInserts.errors(e), except);
    }

    static List<BsonDocument> errors(List<BulkWriteError> errors, Set<Integer> except) {
        return errors.stream()
                .filter(error -> !except.contains(error.getIndex()))
                .map(error -> error(new BsonDocument("index", new BsonInt32(error.getIndex())), error))
                .toList();
    }

    /// The report of an element that failed.
    ///
    /// @param document identifies the element; changed
    static BsonDocument error(BsonDocument document, BulkWriteError error) {
        if (DuplicateKeys.isOfId(error)) {
            return document.append("httpStatus", new BsonInt32(409));
        }
        if (error.getCode() == 2) {
            return document.append("httpStatus", new BsonInt32(400))
                    .append("message", new BsonString("Invalid query parameter: " + error.getMessage()));
        }
        return document.append("mongodbErrorCode", new BsonInt32(error.getCode()))
                .append("httpStatus", new BsonInt32(404))
                .append("message", message(error));
    }

    private static BsonString message(BulkWriteError error) {
        return new BsonString(
                MongoCodes.ofWriteError(error.getCode(), error.getMessage()).message());
    }

    /// The report for callers with hidden fields: without the number of documents that already had the new values, and
    /// without MongoDB's messages.
    BulkReport unquoting() {
        var unquoted = errors.stream()
                .map(error -> {
                    var copy = error.clone();
                    copy.remove("message");
                    return copy;
                })
                .toList();
        return new BulkReport(inserted, links, deleted, matched, matched, unquoted);
    }

    /// The counters, in their documented order.
    BsonDocument counters() {
        return new BsonDocument("inserted", new BsonInt32(inserted))
                .append("deleted", new BsonInt32(deleted))
                .append("modified", new BsonInt32(modified))
                .append("matched", new BsonInt32(matched));
    }

    BsonDocument toDocument() {
        var hrefs = new BsonArray(links.stream().map(BsonString::new).toList());
        var document = new BsonDocument("inserted", new BsonInt32(inserted))
                .append("links", hrefs)
                .append("deleted", new BsonInt32(deleted))
                .append("modified", new BsonInt32(modified))
                .append("matched", new BsonInt32(matched));
        return errors.isEmpty() ? document : document.append("errors", new BsonArray(errors));
    }
}
