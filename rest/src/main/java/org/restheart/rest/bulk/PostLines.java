package org.restheart.rest.bulk;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.bson.BsonValues;
import org.restheart.http.Lease;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.write.TimeLimitedWrites;
import org.restheart.rest.content.DataContent;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.exchange.Locations;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.exchange.WrittenCheck;
import org.restheart.rest.format.DocumentReader;
import org.restheart.rest.guard.HiddenFields;
import org.restheart.rest.idempotency.Creation.NewIds;
import org.restheart.rest.idempotency.KeyedPost;

/// `POST /{db}/{collection}` with a document in each line, or in BSON: written in batches while it arrives,
/// so that its size is not limited by memory and malformed lines do not affect others. Thread-safe.
public record PostLines(RequestCollections collections, TimeLimitedWrites limited) implements DataHandler {
    /// The memory of one stream in practice: a batch as text, as values and as BSON.
    private static final long BYTES_PER_STREAM = 8 << 20;

    @Override
    public Response handle(DataRequest request) {
        if (KeyedPost.isKeyed(request.http())) {
            throw new ProblemException(BAD_REQUEST, "an Idempotency-Key is not for lines: give each an _id");
        }
        request.http().requireThread();
        try (var writing = request.http().lease().another(List.of(CallerScope.current()))) {
            writing.hold(BYTES_PER_STREAM);
            return write(request, writing);
        }
    }

    private Response write(DataRequest request, Lease writing) {
        var report = new LinesReport();
        var lines = new LineWrites(request, collections, limited, report, writing);
        long last = 0;
        boolean nothingDone = true; // by the batches that came to their end
        try {
            var batch = lines.next();
            while (!batch.isEmpty() && lines.write(batch)) {
                nothingDone = report.isEmpty();
                last = batch.getLast().line();
                batch = lines.next();
            }
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
        return report.response(request, lines.ids.etag());
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

    /// Reads the lines of a request, or its BSON documents, in batches while they arrive, and writes them,
    /// in memory independent of their number. Confined to one request.
    static final class LineWrites {
        /// The size of a batch, in lines; it is also bounded in bytes of BSON.
        private static final int MAX_LINES = 1_000;

        private static final int MAX_BYTES = 1 << 20;

        private final DataRequest request;
        private final RequestCollections collections;
        private final MongoCollection<RawBsonDocument> collection;
        private final TimeLimitedWrites limited;
        private final LinesReport report;
        private final OwnedContent content;
        private final DocumentReader lines;
        private final NewIds ids;

        /// @param lease owns the memory of a batch, and gets more for a larger one
        /// @throws ProblemException 413 for content announced to be larger than the server takes
        LineWrites(
                DataRequest request,
                RequestCollections collections,
                TimeLimitedWrites limited,
                LinesReport report,
                Lease lease) {
            this.request = request;
            this.collections = collections;
            this.collection = collections.of(request);
            this.limited = limited;
            this.report = report;
            this.ids = NewIds.of(request.http());
            try {
                this.content = new OwnedContent(request.http().body().stream(), lease);
                this.lines = DataContent.documents(request.http(), content);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        sealed interface LineElement {
            /// From 1.
            long line();

            record Storable(long line, Element element) implements LineElement {}

            record Refused(long line, Problem problem) implements LineElement {}
        }

        /// The next lines; none at the end.
        ///
        /// @throws ProblemException 400 or 413 when the content is incomplete; the lines since the last
        ///     batch are lost
        List<LineElement> next() {
            content.begin();
            try {
                var batch = new ArrayList<LineElement>();
                long bytes = 0;
                while (batch.size() < MAX_LINES && bytes < MAX_BYTES) {
                    var line = lines.next();
                    if (line == null) {
                        break;
                    }
                    var element = element(line);
                    batch.add(element);
                    bytes += size(element);
                }
                return batch;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static long size(LineElement element) {
            return switch (element) {
                case LineElement.Storable line ->
                    line.element().document().getByteBuffer().remaining();
                case LineElement.Refused refused -> refused.problem().message().length();
            };
        }

        private LineElement element(DocumentReader.Entry entry) {
            return switch (entry) {
                case DocumentReader.Entry.Malformed(var line, var problem) -> new LineElement.Refused(line, problem);
                case DocumentReader.Entry.Parsed(var line, var value) -> element(line, value);
            };
        }

        private LineElement element(long line, BsonValue value) {
            if (value.isArray()) {
                return new LineElement.Refused(
                        line,
                        Problem.of(
                                CONTENT_INVALID,
                                "the line is an array; each document needs a line of its own, an array goes as"
                                        + " application/json"));
            }
            try {
                // wrapped in an array, so that a line that is not a document is refused by the same rule
                var content = DataContent.checkIds(new BsonArray(List.of(value)));
                var document = content.asArray().getFirst().asDocument();
                return new LineElement.Storable(line, Element.of(request, document, ids));
            } catch (ProblemException e) {
                return new LineElement.Refused(line, e.problem());
            }
        }

        /// @return false when the command failed as a whole: the outcome of the batch is unknown
        /// @throws ProblemException for such a failure of the first one
        boolean write(List<LineElement> batch) {
            boolean isFirst = report.isEmpty();
            var readable = new ArrayList<LineElement.Storable>();
            for (var element : batch) {
                switch (element) {
                    case LineElement.Storable line -> readable.add(line);
                    case LineElement.Refused(var line, var problem) -> report.error(line, problem);
                }
            }
            var allowed = allowed(readable);
            if (!allowed.isEmpty()) {
                try {
                    writeAllowed(allowed);
                } catch (MongoException e) {
                    if (request.http()
                            .attribute(RequestCollections.REHEARSAL)
                            .isPresent()) { // another attempt may succeed
                        throw e;
                    }
                    var problem = disclosed(MongoErrors.toProblem(e).orElseThrow(() -> e));
                    if (isFirst) {
                        throw problem.raise();
                    }
                    report.error(allowed.getFirst().line(), allowed.getLast().line(), problem);
                    report.abort();
                    return false;
                }
            }
            return true;
        }

        /// The problem as the caller may see it: without MongoDB's message if that may quote hidden data.
        private Problem disclosed(Problem problem) {
            return HiddenFields.hidesErrorDetails(request.http()) ? problem.unquoting() : problem;
        }

        /// The lines that the caller may store; they are checked one by one only if the batch as a whole is
        /// refused.
        private List<LineElement.Storable> allowed(List<LineElement.Storable> lines) {
            try {
                WrittenCheck.check(collections, request, documents(lines));
                return lines;
            } catch (ProblemException someRefused) {
                var allowed = new ArrayList<LineElement.Storable>();
                for (var line : lines) {
                    try {
                        WrittenCheck.check(collections, request, documents(List.of(line)));
                        allowed.add(line);
                    } catch (ProblemException e) {
                        report.error(line.line(), e.problem());
                    }
                }
                return allowed;
            }
        }

        private static List<RawBsonDocument> documents(List<LineElement.Storable> lines) {
            return lines.stream().map(line -> line.element().document()).toList();
        }

        private void writeAllowed(List<LineElement.Storable> lines) {
            var elements = lines.stream().map(LineElement.Storable::element).toList();
            var writes = Element.writes(request, elements, collection, false, ids);
            var tried = limited.each(writes);
            if (!tried.result().wasAcknowledged()) {
                return;
            }
            var written = Element.written(request, elements, writes, tried, ids);
            for (var error : written.errors()) {
                report.error(BulkReport.error(
                        request, LinesReport.at(lines.get(error.getIndex()).line()), error));
            }
            var result = tried.result();
            report.written(written.created().size(), BulkReport.modified(request, result), result.getMatchedCount());
            written.created().forEach(id -> Locations.path(request, id).ifPresent(report::link));
        }
    }

    /// Content of which each batch, such as one long line, has more memory before more of it is read.
    private static final class OwnedContent extends FilterInputStream {
        /// How many bytes of a batch its stream has memory for anyway.
        private static final long USUAL = 2L * LineWrites.MAX_BYTES;

        /// What a byte of a long line takes: it is there as text, and as BSON, which may be several times as long.
        private static final long COPIES = 5;

        private final Lease lease;
        private long read;
        private long held;

        OwnedContent(InputStream content, Lease lease) {
            super(content);
            this.lease = lease;
        }

        /// The batch before is written.
        void begin() {
            lease.correct(held, 0);
            held = 0;
            read = 0;
        }

        @Override
        public int read() throws IOException {
            int next = super.read();
            count(next < 0 ? 0 : 1);
            return next;
        }

        /// @throws ProblemException 503 if the caller may not have the memory now
        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int n = super.read(into, offset, length);
            count(Math.max(n, 0));
            return n;
        }

        private void count(int more) {
            read += more;
            if (read > USUAL + held / COPIES) {
                long needed = COPIES * LineWrites.MAX_BYTES;
                lease.hold(needed);
                held += needed;
            }
        }
    }

    /// The result of a stream of lines, in the format of a bulk write's report. All links and errors are
    /// counted; a limited number is listed. Filled by one thread.
    static final class LinesReport {
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

        Response.Ready response(DataRequest request, ObjectId etag) {
            var answer = JsonResponses.of(request, failed > 0 ? 207 : 200, toDocument())
                    .saying(new DataWrite.Report(matched, modified, 0, List.of(), Optional.empty(), errors, !aborted));
            return failed > 0 ? answer : answer.with("ETag", etag.toHexString());
        }

        private BsonDocument toDocument() {
            var document = BulkReport.document(inserted, new BsonArray(links), 0, modified, matched, errors);
            if (linked > links.size()) {
                document.append("linksOmitted", BsonValues.number(linked - links.size()));
            }
            if (failed > errors.size()) {
                document.append("errorsOmitted", BsonValues.number(failed - errors.size()));
            }
            return aborted ? document.append("complete", BsonBoolean.FALSE) : document;
        }
    }
}
