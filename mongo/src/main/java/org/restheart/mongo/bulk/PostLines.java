package org.restheart.mongo.bulk;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.OVERLOADED;

import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
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
            throw Problem.of(BAD_REQUEST, "an Idempotency-Key is not for lines: give each an _id")
                    .raise();
        }
        request.http().requireThread();
        var caller = CallerScope.current();
        if (!streams.tryTake(caller)) {
            throw Problem.of(OVERLOADED, "too many streams of lines at the moment, of yours or of all")
                    .with("Retry-After", "1")
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
        } catch (LinesBrokenOff e) {
            if (report.isEmpty()) {
                throw e.problem().raise();
            }
            report.add(e.outcome());
            report.breakOff();
        } catch (ProblemException e) { // the content is incomplete: the documents already written are reported
            if (report.isEmpty()) {
                throw e;
            }
            var rest = new LineBatch();
            rest.error(last + 1, e.problem());
            report.add(rest);
            report.breakOff();
        }
        if (report.isEmpty() && last == 0) {
            var hint = DataContent.isCsv(request.http())
                    ? ": there is no row after the first line (curl: --data-binary, as -d removes line ends)"
                    : "";
            throw Problem.of(CONTENT_INVALID, "no data provided" + hint).raise();
        }
        return report.hasErrors()
                ? JsonResponses.of(request, 207, report.toDocument())
                : JsonResponses.of(request, 200, report.toDocument())
                        .with("ETag", stream.etag().toHexString());
    }
}
