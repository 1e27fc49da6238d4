package org.restheart.mongo.bulk;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.mongo.bulk.LineWrites.AbortedException;
import org.restheart.mongo.bulk.LineWrites.Outcome;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.exchange.Collections;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.idempotency.KeyedPost;
import org.restheart.mongo.write.LimitedWrites;
import org.restheart.mongo.write.WrittenCheck;

/// `POST /{db}/{collection}` with a document in each line, or in BSON: written in batches while it arrives, so that its
/// size is not limited by memory and malformed lines do not affect others. Thread-safe.
public final class PostLines implements DataHandler {
    /// The memory of one stream in practice: a batch as text, as values and as BSON.
    private static final long BYTES_PER_STREAM = 8 << 20;

    private final Collections collections;
    private final LimitedWrites limited;
    private final WrittenCheck writtenCheck;
    private final FairShares streams =
            new FairShares(Math.clamp(Runtime.getRuntime().maxMemory() / 4 / BYTES_PER_STREAM, 2, 1_000), 0);

    public PostLines(Collections collections, LimitedWrites limited) {
        this.collections = collections;
        this.limited = limited;
        this.writtenCheck = new WrittenCheck(collections);
    }

    @Override
    public Response handle(DataRequest request) {
        if (KeyedPost.isKeyed(request.http())) {
            throw new ProblemException(BAD_REQUEST, "an Idempotency-Key is not for lines: give each an _id");
        }
        request.http().requireThread();
        var caller = CallerScope.current();
        if (!streams.tryTake(caller)) {
            throw Problem.overloaded("too many streams of lines at the moment, of yours or of all")
                    .raise();
        }
        try {
            return write(request);
        } finally {
            streams.release(caller);
        }
    }

    private Response write(DataRequest request) {
        var report = new LinesReport();
        var stream = new LineStream(request);
        var writes = new LineWrites(request, collections, limited, writtenCheck);
        long last = 0;
        try {
            for (var batch = stream.next(); !batch.isEmpty(); batch = stream.next()) {
                report.add(writes.write(batch));
                last = batch.getLast().line();
            }
        } catch (AbortedException e) {
            if (report.isEmpty()) {
                throw e.problem().raise();
            }
            report.add(e.outcome());
            report.abort();
        } catch (ProblemException e) { // the content is incomplete: the documents already written are reported
            if (report.isEmpty()) {
                throw e;
            }
            var rest = new Outcome();
            rest.error(last + 1, e.problem());
            report.add(rest);
            report.abort();
        }
        if (report.isEmpty() && last == 0) {
            throw noData(DataContent.isCsv(request.http())).raise();
        }
        return report.hasErrors()
                ? JsonResponses.of(request, 207, report.toDocument())
                : JsonResponses.of(request, 200, report.toDocument())
                        .with("ETag", stream.etag().toHexString());
    }

    /// 400 for content without documents: usually a wrong file name, or line ends that `curl -d` removed.
    public static Problem noData(boolean csv) {
        return Problem.of(
                CONTENT_INVALID,
                "no data provided"
                        + (csv
                                ? ": there is no row after the first line (curl: --data-binary, as -d removes line ends)"
                                : ""));
    }

    /// The result of a stream of lines, in the format of a bulk write's report. All links and errors are counted; a
    /// limited number is listed. Filled by one thread.
    private static final class LinesReport {
        private static final int MAX_LISTED = 1_000;

        private final List<BsonValue> links = new ArrayList<>();
        private final List<BsonValue> errors = new ArrayList<>();
        private long linked;
        private long failed;
        private long inserted;
        private long modified;
        private long matched;
        private boolean aborted;

        void add(Outcome batch) {
            inserted += batch.inserted();
            modified += batch.modified();
            matched += batch.matched();
            linked += batch.links().size();
            failed += batch.errors().size();
            batch.links().stream()
                    .limit(MAX_LISTED - links.size())
                    .map(BsonString::new)
                    .forEach(links::add);
            batch.errors().stream().limit(MAX_LISTED - errors.size()).forEach(errors::add);
        }

        /// Records that later lines were not read.
        void abort() {
            aborted = true;
        }

        boolean isEmpty() {
            return inserted + matched + failed == 0;
        }

        boolean hasErrors() {
            return failed > 0;
        }

        BsonDocument toDocument() {
            var document = new BsonDocument("inserted", number(inserted))
                    .append("links", new BsonArray(links))
                    .append("deleted", number(0))
                    .append("modified", number(modified))
                    .append("matched", number(matched));
            if (failed > 0) {
                document.append("errors", new BsonArray(errors));
            }
            if (linked > links.size()) {
                document.append("linksOmitted", number(linked - links.size()));
            }
            if (failed > errors.size()) {
                document.append("errorsOmitted", number(failed - errors.size()));
            }
            return aborted ? document.append("complete", BsonBoolean.FALSE) : document;
        }

        private static BsonValue number(long n) {
            return n <= Integer.MAX_VALUE ? new BsonInt32((int) n) : new BsonInt64(n);
        }
    }
}
