package org.restheart.mongo.bulk;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import java.util.List;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.bulk.LineWrites.AbortedException;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.idempotency.KeyedPost;
import org.restheart.mongo.write.TimeLimitedWrites;

/// `POST /{db}/{collection}` with a document in each line, or in BSON: written in batches while it arrives, so that its
/// size is not limited by memory and malformed lines do not affect others. Thread-safe.
public final class PostLines implements DataHandler {
    /// The memory of one stream in practice: a batch as text, as values and as BSON.
    private static final long BYTES_PER_STREAM = 8 << 20;

    private final RequestCollections collections;
    private final TimeLimitedWrites limited;

    public PostLines(RequestCollections collections, TimeLimitedWrites limited) {
        this.collections = collections;
        this.limited = limited;
    }

    @Override
    public Response handle(DataRequest request) {
        if (KeyedPost.isKeyed(request.http())) {
            throw new ProblemException(BAD_REQUEST, "an Idempotency-Key is not for lines: give each an _id");
        }
        request.http().requireThread();
        try (var writing = request.http().lease().another(List.of(CallerScope.current()))) {
            writing.hold(BYTES_PER_STREAM);
            return write(request);
        }
    }

    private Response write(DataRequest request) {
        var report = new LinesReport();
        var lines = new LineWrites(request, collections, limited, report);
        long last = 0;
        boolean nothingDone = true; // by the batches that came to their end
        try {
            for (var batch = lines.next(); !batch.isEmpty(); batch = lines.next()) {
                lines.write(batch);
                nothingDone = report.isEmpty();
                last = batch.getLast().line();
            }
        } catch (AbortedException e) {
            if (nothingDone) {
                throw e.problem().raise();
            }
            report.abort();
        } catch (ProblemException e) { // the content is incomplete: the documents already written are reported
            if (nothingDone) {
                throw e;
            }
            report.error(last + 1, e.problem());
            report.abort();
        }
        if (report.isEmpty() && last == 0) {
            throw noData(DataContent.isCsv(request.http())).raise();
        }
        return report.hasErrors()
                ? JsonResponses.of(request, 207, report.toDocument())
                : JsonResponses.of(request, 200, report.toDocument())
                        .with("ETag", lines.etag().toHexString());
    }

    /// 400 for content without documents: usually a wrong file name, or line ends that `curl -d` removed.
    public static Problem noData(boolean csv) {
        return Problem.of(
                CONTENT_INVALID,
                "no data provided"
                        + (csv
                                ? ": there is no row after the first line (curl: --data-binary, as -d removes line"
                                        + " ends)"
                                : ""));
    }
}
