package org.restheart.mongo.bulk;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;

/// The result of a stream of lines, in the format of a bulk write's report. All links and errors are counted; a
/// limited number is listed. Filled by one thread.
final class LinesReport {
    private static final int MAX_LISTED = 1_000;

    private final List<BsonValue> links = new ArrayList<>();
    private final List<BsonDocument> errors = new ArrayList<>();
    private long linked;
    private long failed;
    private long inserted;
    private long modified;
    private long matched;
    private boolean aborted;

    void written(int created, int modified, int matched) {
        this.inserted += created;
        this.modified += modified;
        this.matched += matched;
    }

    void link(String link) {
        linked++;
        if (links.size() < MAX_LISTED) {
            links.add(new BsonString(link));
        }
    }

    /// @param error with its `line`, or with the first and the `lastLine` of several
    void error(BsonDocument error) {
        failed++;
        if (errors.size() < MAX_LISTED) {
            errors.add(error);
        }
    }

    void error(long line, Problem problem) {
        error(BulkReport.described(at(line), problem));
    }

    void error(long first, long last, Problem problem) {
        error(BulkReport.described(at(first).append("lastLine", new BsonInt64(last)), problem));
    }

    static BsonDocument at(long line) {
        return new BsonDocument("line", new BsonInt64(line));
    }

    /// Records that later lines were not read.
    void abort() {
        aborted = true;
    }

    boolean isEmpty() {
        return inserted + matched + failed == 0;
    }

    /// @param etag of all documents
    Response.Ready response(DataRequest request, ObjectId etag) {
        var answer = JsonResponses.of(request, failed > 0 ? 207 : 200, toDocument())
                .saying(new DataWrite.Report(matched, modified, 0, List.of(), Optional.empty(), errors, !aborted));
        return failed > 0 ? answer : answer.with("ETag", etag.toHexString());
    }

    private BsonDocument toDocument() {
        var document = BulkReport.document(inserted, new BsonArray(links), 0, modified, matched, errors);
        if (linked > links.size()) {
            document.append("linksOmitted", BulkReport.number(linked - links.size()));
        }
        if (failed > errors.size()) {
            document.append("errorsOmitted", BulkReport.number(failed - errors.size()));
        }
        return aborted ? document.append("complete", BsonBoolean.FALSE) : document;
    }
}
