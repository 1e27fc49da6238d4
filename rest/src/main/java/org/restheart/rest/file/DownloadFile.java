package org.restheart.rest.file;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.restheart.http.ProblemCode.INTERNAL;
import static org.restheart.http.ProblemCode.NOT_FOUND;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.http.ByteRanges;
import org.restheart.http.ByteRanges.Slice;
import org.restheart.http.Content;
import org.restheart.http.EntityTagList;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Method;
import org.restheart.http.PercentCoding;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.write.EntityTags;
import org.restheart.mongo.write.Transaction;
import org.restheart.rest.exchange.Caching;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.file.ChunkBatches.Described;
import org.restheart.rest.file.RecentContent.ChunkSource;

/// `GET` and `HEAD` of `/{db}/{bucket}.files/{id}/binary`: the content, or ranges of it. Headers contain
/// nothing that the access rule hides.
public final class DownloadFile implements DataHandler {
    /// How often a session is retried until it includes the latest write.
    private static final int ATTEMPTS = 20;

    private static final byte[] NOTHING = {};

    private final RequestCollections collections;
    private final DriverFinder documents;
    private final Duration timeLimit;

    private final RecentContent recent = new RecentContent(MemoryBudget.Part.FILES.bytes());

    /// @param timeLimit of each query; zero for none
    public DownloadFile(RequestCollections collections, DriverFinder documents, Duration timeLimit) {
        this.collections = collections;
        this.documents = documents;
        this.timeLimit = timeLimit;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var query = new DocumentQuery(
                request.namespace(),
                request.id(),
                request.readFilterOfDocument(),
                Projection.ALL,
                request.readSettings(timeLimit));
        var state = state(request, query);
        boolean streams = false;
        try {
            var response = answer(request, state, shown(request, query, state.file));
            streams = response.content() instanceof Content.Streamed;
            return response;
        } finally {
            if (!streams) {
                state.close();
            }
        }
    }

    /// A file in the state in which it is sent.
    ///
    /// @param session null if there is no snapshot
    /// @param version the id of the first chunk, if there is no snapshot
    /// @param kept the chunks, if they are in memory; null otherwise
    private record State(
            RawBsonDocument file,
            RecentContent.Key key,
            @Nullable ClientSession session,
            Optional<BsonValue> version,
            @Nullable ChunkSource kept)
            implements AutoCloseable {
        @Override
        public void close() {
            if (session != null) {
                session.close();
            }
            if (kept != null) {
                kept.close();
            }
        }
    }

    private State state(DataRequest request, DocumentQuery query) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var file = documents.one(query).orElseThrow(() -> missing(request));
            if (ContentMoves.isMarked(file)) {
                new ContentMoves(Chunks.of(collections, request)).finish(request.id());
            } else {
                var key = RecentContent.Key.of(query.namespace(), file);
                var kept = query.settings().session().isEmpty()
                        ? recent.source(key, request.http().lease())
                        : null;
                if (kept != null) {
                    return new State(file, key, null, Optional.empty(), kept);
                }
                var session = session(query, file);
                if (session != null) {
                    return new State(file, key, session, Optional.empty(), null);
                }
                var version = Chunks.of(collections, request).first(null, request.id());
                if (documents.one(query).filter(file::equals).isPresent()) {
                    return new State(file, key, null, version, null);
                }
            }
            pause(attempt);
        }
        throw Problem.overloaded("the file is being replaced; try again").raise();
    }

    /// Until the latest write is in a snapshot, that is, until a majority has it: some milliseconds, and
    /// MongoDB offers nothing to wait for. Up to 95 ms, 950 in all.
    private static void pause(int attempt) {
        try {
            Thread.sleep(5L * attempt);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static RuntimeException missing(DataRequest request) {
        return new ProblemException(NOT_FOUND, "File with ID " + request.path().requireName() + " not found");
    }

    /// A snapshot session in which the file is in the state that was read; null if there is none.
    private @Nullable ClientSession session(DocumentQuery query, RawBsonDocument file) {
        var client = collections.client();
        if (!Transaction.isSupported(client)) {
            return null;
        }
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var session = client.startSession(
                    ClientSessionOptions.builder().snapshot(true).build());
            boolean same = false;
            try {
                same = documents
                        .one(new DocumentQuery(
                                query.namespace(),
                                query.id(),
                                query.filter(),
                                query.projection(),
                                new ReadSettings(
                                        Optional.empty(),
                                        Optional.empty(),
                                        timeLimit,
                                        Optional.of(session),
                                        Optional.empty())))
                        .filter(file::equals)
                        .isPresent();
            } catch (MongoException _) {
                return null; // snapshots are optional: the file has been read without one
            } finally {
                if (!same) {
                    session.close();
                }
            }
            if (same) {
                return session;
            }
            pause(attempt);
        }
        return null;
    }

    /// The fields of the file's document that the caller may see.
    private BsonDocument shown(DataRequest request, DocumentQuery query, RawBsonDocument file) {
        var rule = request.grant().projectResponse();
        return rule.isEmpty()
                ? file
                : documents
                        .one(new DocumentQuery(
                                query.namespace(),
                                query.id(),
                                query.filter(),
                                Projection.of(rule, new BsonDocument()),
                                query.settings()))
                        .<BsonDocument>map(document -> document)
                        .orElseThrow(() -> missing(request));
    }

    private Response.Ready answer(DataRequest request, State state, BsonDocument shown) {
        var headers = request.http().headers();
        var metadata = EntityTags.holderInFile(shown);
        var etag = EntityTags.of(metadata);
        if (Caching.isKnown(request.http(), etag)) {
            return JsonResponses.empty(304).with("ETag", etag);
        }
        var described = described(request, state.file);
        var type = BsonTexts.of(metadata, "contentType").map(MediaTypes::served).orElse(MediaTypes.UNKNOWN);
        var name = BsonTexts.of(shown, "filename").orElse(request.path().requireName());
        var response = Response.status(200)
                .with("Content-Disposition", ContentDisposition.inline(name))
                .with("Content-Transfer-Encoding", "binary")
                .with("X-Content-Type-Options", "nosniff")
                .with("Accept-Ranges", "bytes")
                .with("Content-Security-Policy", MediaTypes.policy(type))
                .with("ETag", etag);
        boolean current = EntityTagList.of(headers, "If-Range")
                .map(tags -> etag.filter(tags.strong()::contains).isPresent())
                .orElse(true);
        var slices = headers.first("Range")
                .filter(_ -> current && request.http().method() == Method.GET)
                .flatMap(range -> ByteRanges.of(range, described.length()));
        if (slices.isPresent() && slices.get().isEmpty()) {
            return Response.status(416).with("Content-Range", "bytes */" + described.length());
        }
        var chunks = state.kept != null ? state.kept : batches(request, state, described);
        request.http().lease().await(chunks.held());
        if (slices.isEmpty()) {
            var all = List.of(new FileContent.Piece(NOTHING, new Slice(0, described.length())));
            return response.with("Content-Type", type)
                    .with("Content-Length", "" + described.length())
                    .with(new Content.Streamed(
                            new FileContent(described, chunks, all),
                            chunks.held(),
                            request.http().lease()));
        }
        return partial(
                response.withStatus(206),
                slices.get(),
                type,
                described,
                chunks,
                request.http().lease());
    }

    private ChunkBatches batches(DataRequest request, State state, Described described) {
        return new ChunkBatches(
                Chunks.of(collections, request),
                state.session,
                state.version,
                described,
                request.http().lease(),
                whole -> recent.offer(state.key, described, whole));
    }

    private static Response.Ready partial(
            Response.Ready response, List<Slice> slices, String type, Described file, ChunkSource chunks, Lease lease) {
        var pieces = new ArrayList<FileContent.Piece>();
        if (slices.size() == 1) {
            var slice = slices.getFirst();
            pieces.add(new FileContent.Piece(NOTHING, slice));
            response = response.with("Content-Type", type).with("Content-Range", range(slice, file));
        } else {
            var boundary = UUID.randomUUID().toString();
            for (var slice : slices) {
                var head = "\r\n--" + boundary + "\r\nContent-Type: " + type + "\r\nContent-Range: "
                        + range(slice, file) + "\r\n\r\n";
                pieces.add(new FileContent.Piece(head.getBytes(US_ASCII), slice));
            }
            pieces.add(new FileContent.Piece(("\r\n--" + boundary + "--\r\n").getBytes(US_ASCII), new Slice(0, 0)));
            response = response.with("Content-Type", "multipart/byteranges; boundary=" + boundary);
        }
        long length = pieces.stream()
                .mapToLong(piece -> piece.bytes().length + piece.slice().length())
                .sum();
        return response.with("Content-Length", "" + length)
                .with(new Content.Streamed(new FileContent(file, chunks, pieces), chunks.held(), lease));
    }

    private static String range(Slice slice, Described file) {
        return "bytes " + slice.from() + "-" + (slice.to() - 1) + "/" + file.length();
    }

    private static Described described(DataRequest request, BsonDocument file) {
        var length = file.get("length");
        var chunkSize = file.get("chunkSize");
        if (length == null
                || !length.isNumber()
                || length.asNumber().longValue() < 0
                || chunkSize == null
                || !chunkSize.isNumber()
                || chunkSize.asNumber().intValue() <= 0) {
            throw new ProblemException(INTERNAL, "the file has no valid length or chunkSize");
        }
        return new Described(
                request.id(),
                length.asNumber().longValue(),
                chunkSize.asNumber().intValue());
    }

    /// `Content-Disposition` with a name that clients chose (RFC 6266, RFC 8187).
    private static final class ContentDisposition {
        /// Further characters that may stand in `filename*` (RFC 8187, 3.2.1).
        private static final String ATTRIBUTE = "!#$&+^`|";

        private static final int MAX_LENGTH = 255;

        private ContentDisposition() {}

        /// Names with characters beyond ASCII are sent in both forms. Path separators and delimiters are
        /// replaced.
        static String inline(String name) {
            var safe = safe(name);
            var ascii = new StringBuilder();
            safe.codePoints().forEach(c -> ascii.append(c > '~' || c == '"' || c == '%' ? '_' : (char) c));
            var value = "inline; filename=\"" + ascii + "\"";
            return ascii.toString().equals(safe)
                    ? value
                    : value + "; filename*=UTF-8''" + PercentCoding.encode(safe, ATTRIBUTE);
        }

        private static String safe(String name) {
            var safe = new StringBuilder();
            name.codePoints().limit(MAX_LENGTH).forEach(c -> {
                boolean harmful = c == '/'
                        || c == '\\'
                        || Character.isISOControl(c)
                        || Character.getType(c)
                                == Character.FORMAT // such as a change of direction, which hides extensions
                        || Character.getType(c) == Character.SURROGATE
                        || Character.getType(c) == Character.LINE_SEPARATOR
                        || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
                safe.appendCodePoint(harmful ? '_' : c);
            });
            return safe.isEmpty() ? "file" : safe.toString();
        }
    }

    /// The bytes of a file, or slices of them, read while they are sent. Confined to one response.
    private static final class FileContent implements Content.Source {
        private static final ByteBuffer END = ByteBuffer.allocate(0);

        /// @param bytes before the slice
        @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
        record Piece(byte[] bytes, Slice slice) {}

        private final Described file;
        private final ChunkSource chunks;
        private final Deque<Piece> pieces;
        private long at = -1;

        FileContent(Described file, ChunkSource chunks, List<Piece> pieces) {
            this.file = file;
            this.chunks = chunks;
            this.pieces = new ArrayDeque<>(pieces);
        }

        @Override
        public ByteBuffer next() throws IOException {
            while (!pieces.isEmpty()) {
                var piece = pieces.peek();
                if (at < 0) {
                    at = piece.slice().from();
                    if (piece.bytes().length > 0) {
                        return ByteBuffer.wrap(piece.bytes());
                    }
                }
                if (at < piece.slice().to()) {
                    return data(piece.slice());
                }
                pieces.remove();
                at = -1;
            }
            return END;
        }

        private ByteBuffer data(Slice slice) throws IOException {
            long n = at / file.chunkSize();
            var chunk = chunks.next(n, (slice.to() - 1) / file.chunkSize());
            long start = n * file.chunkSize();
            if (chunk == null || !file.isChunk(chunk, n)) {
                throw new IOException("a chunk of the file is missing or has the wrong size");
            }
            var data = chunk.getBinary("data").getData();
            int from = (int) (at - start);
            int to = (int) Math.min(data.length, slice.to() - start);
            at = start + to;
            return ByteBuffer.wrap(data, from, to - from).slice();
        }

        @Override
        public void close() {
            chunks.close();
        }
    }
}
