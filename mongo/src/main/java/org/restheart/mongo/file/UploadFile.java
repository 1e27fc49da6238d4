package org.restheart.mongo.file;

import static org.restheart.http.ProblemCode.CONFLICT;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TYPE_UNSUPPORTED;
import static org.restheart.http.ProblemCode.DUPLICATE_KEY;

import com.mongodb.MongoException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.content.Multipart;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.exchange.Locations;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.Transaction;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;
import org.restheart.mongo.write.WrittenCheck;

/// `POST` to a bucket, and `PUT` of a file with content. Content of more than 8 MiB is stored while it arrives;
/// the file is visible when all of it is there. Thread-safe.
final class UploadFile implements DataHandler {
    static final String TAG_REQUIRED = "The file's ETag must be provided using the 'If-Match' header";

    static final String HOW_TO_SEND = "a file is sent to the bucket as multipart, curl -F file=@name, or to the path of"
            + " the file as it is, with the Content-Type that it has: curl -T name -H 'Content-Type: image/png'";

    /// In bytes: the most that a transaction can move without overloading MongoDB's cache. More is moved afterwards.
    private static final long LARGEST_MOVE = 128 << 20;

    /// The memory of one upload while its content is stored: chunks, their copies in a command, buffers. Content that
    /// stays in memory until there is a file counts besides.
    private static final long BYTES_PER_UPLOAD = 4 << 20;

    private static final BsonDocument ANY = new BsonDocument();

    private final RequestCollections collections;
    private final Preconditions preconditions;
    private final Locations locations;
    private final AbandonedChunks abandoned;

    UploadFile(
            RequestCollections collections,
            Preconditions preconditions,
            Locations locations,
            AbandonedChunks abandoned) {
        this.abandoned = abandoned;
        this.collections = collections;
        this.preconditions = preconditions;
        this.locations = locations;
    }

    /// Whether a request carries content of a file.
    static boolean isFor(Request request, ResourceKind kind) {
        return (kind == ResourceKind.FILES_BUCKET && request.method() == Method.POST && Multipart.isIn(request))
                || (kind == ResourceKind.FILE && request.method() == Method.PUT && !isMetadata(type(request)));
    }

    private static boolean isMetadata(String type) {
        return type.startsWith("application/json")
                || type.startsWith("application/hal+json")
                || type.startsWith("application/x-www-form-urlencoded");
    }

    private static String type(Request request) {
        return request.headers()
                .first("Content-Type")
                .orElse("application/json")
                .toLowerCase(Locale.ROOT);
    }

    @Override
    public Response handle(DataRequest request) {
        var http = request.http();
        if (!isFor(http, request.path().kind())) {
            throw isMetadata(type(http))
                    ? Problem.of(CONTENT_INVALID, "POST file request is in a bad format")
                            .withHints(List.of(HOW_TO_SEND))
                            .raise()
                    : Problem.of(CONTENT_TYPE_UNSUPPORTED, "Content-Type must be multipart/form-data")
                            .withHints(List.of(HOW_TO_SEND))
                            .raise();
        }
        http.requireThread();
        var caller = List.of(CallerScope.current());
        try (var writing = http.lease().another(caller);
                var small = http.lease().another(caller)) {
            writing.hold(BYTES_PER_UPLOAD);
            var upload = new Upload(request);
            var isReplaced = upload.known.isPresent() && upload.isThere(upload.known.get());
            return upload.store(isReplaced ? WriteMode.UPSERT : WriteMode.INSERT, upload.writer(small));
        } catch (IOException e) {
            throw new ProblemException(CONTENT_INVALID, "multipart/form-data: " + e.getMessage());
        }
    }

    private static Optional<BsonValue> id(BsonDocument metadata) {
        return Optional.ofNullable(metadata.get("_id"));
    }

    /// The upload of one request. Confined to its thread.
    private final class Upload {
        private final DataRequest request;
        private final boolean puts;
        private final Chunks chunks;
        private final FileParts parts;

        /// The file's id, if it is known before the content arrives.
        private final Optional<BsonValue> known;

        Upload(DataRequest request) throws IOException {
            this.request = request;
            this.puts = request.http().method() == Method.PUT;
            this.chunks = Chunks.of(collections, request);
            this.parts = FileParts.of(request.http());
            this.known = puts ? Optional.of(request.id()) : parts.metadata().flatMap(UploadFile::id);
        }

        private boolean hasTransactions() {
            return Transaction.isSupported(collections.client());
        }

        ChunkWriter writer(Lease lease) {
            return new ChunkWriter(chunks, known.isPresent() && hasTransactions() ? lease : null);
        }

        Response store(WriteMode mode, ChunkWriter writer) throws IOException {
            boolean keep = false;
            var published = Optional.<BsonValue>empty();
            try {
                chunks.ensureIndexes();
                parts.transferTo(writer);
                writer.finish();
                var metadata = parts.metadata().orElseGet(BsonDocument::new);
                var id = known.orElseGet(() -> id(metadata).orElse(writer.upload()));
                if (puts && id(metadata).filter(other -> !other.equals(id)).isPresent()) {
                    throw new ProblemException(CONTENT_INVALID, "_id in content body is different than id in URL");
                }
                var mediaType = parts.mediaType().orElseGet(() -> MediaTypes.guess(writer.firstBytes()));
                var file = FileMetadata.file(request, id, metadata, mediaType, writer);
                request.validation().ifPresent(validation -> validation.check(file, true));
                WrittenCheck.check(collections, request, List.of(file));
                keep = true; // until it is known that the file is not visible
                published = Optional.of(id);
                var outcome = publish(writer, file, mode);
                keep = outcome instanceof WriteOutcome.Created || outcome instanceof WriteOutcome.Changed;
                abandoned.search(chunks);
                request.http().attribute(FoundWarnings.KEY).ifPresent(found -> found.addAll(parts.warnings()));
                return answer(outcome, id);
            } catch (MongoException e) {
                keep = keep && !isInvisible(writer, published);
                throw e;
            } catch (ProblemException e) { // problems are thrown before the file is visible
                keep = false;
                throw e;
            } finally {
                if (!keep) {
                    writer.abort();
                }
            }
        }

        private TargetDocument target(BsonValue id, BsonDocument condition) {
            return TargetDocument.file(
                    SessionCollection.of(collections, request),
                    id,
                    List.of(puts ? request.writeFilter() : ANY, condition),
                    puts ? preconditions.ofDocument(request) : new Precondition.None());
        }

        /// Whether the file would be replaced. What is not allowed is refused before the content arrives.
        boolean isThere(BsonValue id) {
            var expected = target(id, ANY).preview();
            if (!puts && expected instanceof WriteOutcome.Changed) {
                answer(new WriteOutcome.Duplicate("E11000 duplicate key error: the _id is taken"), id);
            }
            if (expected instanceof WriteOutcome.Missing) {
                refuseTaken(id);
            } else {
                answer(expected, id);
            }
            return expected instanceof WriteOutcome.Changed;
        }

        private void refuseTaken(BsonValue id) {
            if (!chunks.isFree(id)) {
                throw new ProblemException(CONFLICT, "another upload of this file is under way; try again");
            }
        }

        private WriteOutcome publish(ChunkWriter writer, RawBsonDocument file, WriteMode mode) {
            var id = Objects.requireNonNull(file.get("_id"));
            var from = writer.upload();
            boolean atOnce = hasTransactions() && writer.length() <= LARGEST_MOVE;
            boolean named = !id.equals(from);
            if (!writer.isComplete()) {
                throw new ProblemException(CONFLICT, "the content that was stored has been removed meanwhile");
            }
            if (named) {
                refuseTaken(id);
            }
            if (!named || !atOnce || !writer.isInMemory()) { // otherwise in the transaction
                writer.store();
            }
            if (!named) {
                return target(id, ANY).replacing(file, WriteMode.INSERT).alone();
            }
            var moves = new ContentMoves(chunks);
            return atOnce
                    ? moves.replace(
                            id,
                            () -> target(id, ContentMoves.unmarked())
                                    .replacing(file, mode)
                                    .together(collections.client(), (session, outcome) -> {
                                        if (outcome instanceof WriteOutcome.Changed) {
                                            chunks.delete(session, id);
                                        }
                                        writer.storeAs(session, id);
                                    }))
                    : moves.replaceInSteps(
                            id,
                            from,
                            () -> target(id, ContentMoves.unmarked())
                                    .replacing(ContentMoves.marked(file, from), mode)
                                    .alone());
        }

        /// Whether no file has the chunks. If that is unknown they are kept, since a file without chunks is worse.
        ///
        /// @param id the file's, if it was to be written
        private boolean isInvisible(ChunkWriter writer, Optional<BsonValue> id) {
            try {
                return !chunks.isVisible(writer.upload())
                        && id.map(file -> !new ContentMoves(chunks).isFrom(file, writer.upload()))
                                .orElse(true);
            } catch (MongoException _) {
                return false;
            }
        }

        private Response answer(WriteOutcome outcome, BsonValue id) {
            if (outcome instanceof WriteOutcome.Duplicate && !puts) {
                throw Problem.of(DUPLICATE_KEY, DataWrite.DUPLICATE_KEY_ERROR)
                        .withHints(List.of("there is a file with this _id: PUT to its path replaces it"))
                        .raise();
            }
            var written = WriteResponses.of(outcome, "", TAG_REQUIRED);
            var response = JsonResponses.empty(written.status());
            return puts
                    ? response
                    : locations
                            .absolute(request, id)
                            .map(location -> response.with("Location", location))
                            .orElse(response);
        }
    }
}
