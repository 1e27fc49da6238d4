package org.restheart.rest.file;

import static org.restheart.http.ProblemCode.CONFLICT;
import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;
import static org.restheart.http.ProblemCode.CONTENT_TYPE_UNSUPPORTED;
import static org.restheart.http.ProblemCode.DUPLICATE_KEY;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.ReadPreference;
import com.mongodb.client.model.Projections;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.commons.fileupload2.core.MultipartInput;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonParser;
import org.restheart.bson.JsonWeight;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.fields.Update;
import org.restheart.data.Operation.Write;
import org.restheart.http.Body;
import org.restheart.http.ContentTrees;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.Transaction;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.rest.content.DataContent;
import org.restheart.rest.content.Multipart;
import org.restheart.rest.content.UpdateContent;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.exchange.Locations;
import org.restheart.rest.exchange.Preconditions;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.exchange.WriteResponses;
import org.restheart.rest.exchange.WrittenCheck;
import org.restheart.rest.guard.HiddenFields;
import org.restheart.rest.parameter.SessionParameter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The handlers of files.
public final class FileHandlers {
    private FileHandlers() {}

    /// Whether the content of a request is a file, which is stored while it arrives.
    public static boolean isUpload(Request request, ResourceKind kind) {
        return UploadFile.isFor(request, kind);
    }

    /// The metadata in the content of a request that writes a file, however they are wrapped: access rules
    /// see what is stored. The properties in the content of one that writes a bucket. Empty for other
    /// requests.
    public static Optional<RequestContent> metadata(Request request, ResourceKind kind) {
        if (isUpload(request, kind)) {
            return Optional.of(
                    RequestContent.arriving(() -> FileParts.metadata(request)).wrappedIn(FileMetadata.WRAPPERS));
        }
        if (request.method() != Method.PUT && request.method() != Method.PATCH) {
            return Optional.empty();
        }
        return switch (kind) {
            case FILE ->
                Optional.of(new RequestContent(() -> FileMetadata.unwrapped(parsed(request)))
                        .wrappedIn(FileMetadata.WRAPPERS));
            case FILES_BUCKET -> Optional.of(new RequestContent(() -> parsed(request)));
            default -> Optional.empty();
        };
    }

    /// A client that sends a file without its type, or as a form, as curl does, gets a hint how files are
    /// sent.
    private static BsonValue parsed(Request request) {
        try {
            return DataContent.parse(request);
        } catch (ProblemException e) {
            boolean named = request.headers()
                    .first("Content-Type")
                    .filter(type -> !type.startsWith("application/x-www-form-urlencoded"))
                    .isPresent();
            if (named) {
                throw e;
            }
            throw e.problem().withHints(List.of(UploadFile.HOW_TO_SEND)).raise();
        }
    }

    /// `POST` to a bucket.
    ///
    /// @param tasks removes what interrupted uploads have left
    public static DataHandler post(
            RequestCollections collections, Preconditions preconditions, Locations locations, BackgroundTasks tasks) {
        return outsideSessions(new UploadFile(collections, preconditions, locations, new AbandonedChunks(tasks)));
    }

    /// `PUT` of a file, with content or with metadata alone.
    ///
    /// @param upload the result of [#post]
    public static DataHandler put(DataHandler upload, RequestCollections collections, Preconditions preconditions) {
        var change = patch(collections, preconditions);
        return request ->
                isUpload(request.http(), request.path().kind()) ? upload.handle(request) : change.handle(request);
    }

    public static DataHandler patch(RequestCollections collections, Preconditions preconditions) {
        return outsideSessions(new ChangeMetadata(collections, preconditions));
    }

    public static DataHandler delete(RequestCollections collections, Preconditions preconditions) {
        return outsideSessions(DeleteFiles.one(collections, preconditions));
    }

    public static DataHandler deleteMany(RequestCollections collections) {
        return outsideSessions(DeleteFiles.many(collections));
    }

    /// Writes outside of the session and the transaction of the request: content does not fit into a
    /// transaction.
    private static DataHandler outsideSessions(DataHandler handler) {
        return request -> {
            var response = handler.handle(request.withoutSession());
            return SessionParameter.namesTransaction(request.http().query())
                    ? response.map(done -> done.withAlso(
                            "Warning", FoundWarnings.line("files are written outside of transactions, at once")))
                    : response;
        };
    }

    /// `PUT` of a file without content replaces its metadata, `PATCH` changes some of them; the content
    /// stays.
    private record ChangeMetadata(RequestCollections collections, Preconditions preconditions) implements DataHandler {
        private static final String PREFIX = "metadata.";

        @Override
        public Response handle(DataRequest request) {
            boolean patches = request.operation().isChange();
            if (patches) {
                refuseFiles(request);
            }
            var content = FileMetadata.given(request.contentDocument());
            var etag = new ObjectId();
            var set = patches ? changed(request, content, etag) : replaced(request, content, etag);
            var update = new Update.Operators(new BsonDocument("$set", set));
            request.http().requireThread();
            var target = TargetDocument.file(
                    collections.inSession(request),
                    request.id(),
                    List.of(request.writeFilter()),
                    preconditions.ofDocument(request));
            var outcome = target.updating(update, WriteMode.UPDATE)
                    .judgedBy(WrittenCheck.ofUpdate(collections, request, _ -> true))
                    .alone();
            if (outcome instanceof WriteOutcome.Missing) {
                throw WriteResponses.missing(
                                "; metadata make no file: PUT it with its Content-Type, or POST it as multipart")
                        .raise();
            }
            return WriteResponses.of(
                    outcome, etag.toHexString(), "The ETag must be provided using the 'If-Match' header");
        }

        private static BsonDocument replaced(DataRequest request, BsonDocument content, ObjectId etag) {
            var metadata = FileMetadata.whole(request, content, etag);
            var set = new BsonDocument("metadata", metadata);
            rename(set, metadata.get("filename"));
            return set;
        }

        private static BsonDocument changed(DataRequest request, BsonDocument content, ObjectId etag) {
            if (content.keySet().stream().anyMatch(key -> key.startsWith("$"))) {
                throw new ProblemException(CONTENT_INVALID, "request content cannot contain update operators");
            }
            var flat = new BsonDocument();
            flatten("", content, flat);
            HiddenFields.checkChange(
                    request.grant(), prefixed(flat), request.parameters().arrayFilters());
            var update = (Update.Operators) UpdateContent.ofDocument(
                    FileMetadata.fields(request),
                    request.id(),
                    flat,
                    request.parameters().arrayFilters(),
                    etag);
            var fields = update.document().getDocument("$set");
            var set = prefixed(fields);
            rename(set, fields.get("filename"));
            return set;
        }

        private static void rename(BsonDocument set, @Nullable BsonValue name) {
            if (name != null && name.isString()) {
                set.append("filename", name);
            }
        }

        private static void flatten(String prefix, BsonDocument from, BsonDocument to) {
            from.forEach((name, value) -> {
                if (value.isDocument() && !value.asDocument().isEmpty()) {
                    flatten(prefix + name + ".", value.asDocument(), to);
                } else {
                    to.put(prefix + name, value);
                }
            });
        }

        private static BsonDocument prefixed(BsonDocument fields) {
            return BsonValues.renamed(fields, path -> PREFIX + path);
        }

        private static void refuseFiles(DataRequest request) {
            if (Multipart.hasFiles(request.http())) {
                throw new ProblemException(
                        CONTENT_INVALID, "only metadata is allowed for PATCH requests, not binary data");
            }
        }
    }

    /// Deletes files with their chunks, outside of transactions: `DELETE /{db}/{bucket}.files/{id}` and
    /// `DELETE /{db}/{bucket}.files/*`. Confined to one request.
    private static final class DeleteFiles {
        /// While others replace the file.
        private static final int ATTEMPTS = 10;

        /// Fields of a file's document of which one differs if its content does.
        private static final List<String> VERSION = List.of("uploadDate", "length", ContentMoves.MARK);

        private final Chunks chunks;

        private DeleteFiles(Chunks chunks) {
            this.chunks = chunks;
        }

        static DataHandler one(RequestCollections collections, Preconditions preconditions) {
            return request -> {
                request.http().requireThread();
                var outcome = new DeleteFiles(Chunks.of(collections, request))
                        .delete(
                                request.id(),
                                version -> TargetDocument.file(
                                        collections.inSession(request),
                                        request.id(),
                                        List.of(request.writeFilter(), version),
                                        preconditions.ofDocument(request)));
                return WriteResponses.of(outcome, UploadFile.TAG_REQUIRED);
            };
        }

        /// Every file that the filter matches, one after the other.
        static DataHandler many(RequestCollections collections) {
            return request -> {
                var filter = request.writeFilter();
                request.http().requireThread();
                var files = collections.of(request);
                var deletion = new DeleteFiles(Chunks.of(collections, request));
                long deleted = 0;
                try (var found = files.withReadPreference(ReadPreference.primary())
                        .find(filter)
                        .projection(Projections.include("_id"))
                        .cursor()) {
                    while (found.hasNext()) {
                        var id = Objects.requireNonNull(found.next().get("_id"));
                        var outcome = deletion.delete(
                                id,
                                version -> TargetDocument.file(
                                        new SessionCollection(files, Optional.empty()),
                                        id,
                                        List.of(filter, version),
                                        new Precondition.None()));
                        if (outcome instanceof WriteOutcome.Deleted) {
                            deleted++;
                        }
                    }
                }
                return JsonResponses.of(request, 200, new BsonDocument("deleted", new BsonInt64(deleted)));
            };
        }

        /// Removes a file and then its chunks. Between the two, others may make a file of the same id: so
        /// the chunks are determined before, and removed by their own ids.
        ///
        /// @param target the file's document, with a condition in addition to those of the request
        private WriteOutcome delete(BsonValue file, Function<BsonDocument, TargetDocument> target) {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                switch (target.apply(new BsonDocument()).preview()) {
                    case WriteOutcome.Refused refused -> {
                        return refused;
                    }
                    case WriteOutcome.Missing _, WriteOutcome.Duplicate _ -> {
                        return new WriteOutcome.Missing();
                    }
                    case WriteOutcome.Created _, WriteOutcome.Changed _, WriteOutcome.Deleted _ -> {
                        var version = version(file);
                        var ids = chunks.ids(file);
                        if (target.apply(version).deleting().alone() instanceof WriteOutcome.Deleted deleted) {
                            chunks.delete(file, ids.subList(Math.min(1, ids.size()), ids.size()));
                            chunks.delete(file, ids.subList(0, Math.min(1, ids.size())));
                            return deleted;
                        }
                    }
                }
            }
            throw new ProblemException(ProblemCode.CONFLICT, "the file changes too often; try again");
        }

        /// A condition that holds while the file has its present content, which is moved to it before.
        private BsonDocument version(BsonValue file) {
            var found = described(file);
            var mark = found.get(ContentMoves.MARK);
            if (mark != null) {
                new ContentMoves(chunks).finish(file);
                found = described(file);
                if (ContentMoves.isMarked(
                        found)) { // if the mark is the same, nothing can be moved; else nothing matches
                    found.put(ContentMoves.MARK, mark);
                }
            }
            var version = new BsonDocument();
            for (var field : VERSION) {
                var value = found.get(field);
                version.append(
                        field, value == null ? new BsonDocument("$exists", BsonBoolean.FALSE) : Chunks.literal(value));
            }
            return version;
        }

        private BsonDocument described(BsonValue file) {
            var found = chunks.files()
                    .find(new BsonDocument("_id", Chunks.literal(file)))
                    .projection(Projections.include(VERSION))
                    .first();
            return found == null ? new BsonDocument() : found;
        }
    }

    /// `POST` to a bucket, and `PUT` of a file with content. Content of more than 8 MiB is stored while it
    /// arrives; the file is visible when all of it is there. Thread-safe.
    private record UploadFile(
            RequestCollections collections, Preconditions preconditions, Locations locations, AbandonedChunks abandoned)
            implements DataHandler {
        static final String TAG_REQUIRED = "The file's ETag must be provided using the 'If-Match' header";

        static final String HOW_TO_SEND =
                "a file is sent to the bucket as multipart, curl -F file=@name, or to the path of the file as it is,"
                        + " with the Content-Type that it has: curl -T name -H 'Content-Type: image/png'";

        /// In bytes: the most that a transaction can move without overloading MongoDB's cache. More is moved
        /// afterwards.
        private static final long LARGEST_MOVE = 128 << 20;

        /// The memory of one upload while its content is stored: chunks, their copies in a command, buffers.
        /// Content that stays in memory until there is a file counts besides.
        private static final long BYTES_PER_UPLOAD = 4 << 20;

        private static final BsonDocument ANY = new BsonDocument();

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
                this.puts = request.operation() == Write.REPLACE;
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
                        collections.inSession(request),
                        id,
                        List.of(puts ? request.writeFilter() : ANY, condition),
                        puts ? preconditions.ofDocument(request) : new Precondition.None());
            }

            /// Whether the file would be replaced. What is not allowed is refused before the content
            /// arrives.
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

            /// Whether no file has the chunks. If that is unknown they are kept, since a file without chunks
            /// is worse.
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
                    throw Problem.of(DUPLICATE_KEY, Problem.DUPLICATE_KEY_ERROR)
                            .withHints(List.of("there is a file with this _id: PUT to its path replaces it"))
                            .raise();
                }
                var written = WriteResponses.of(outcome, "", TAG_REQUIRED);
                var response = JsonResponses.empty(written.status());
                return puts ? response : response.with("Location", locations.absolute(request, id));
            }
        }
    }

    /// The parts of an upload in the order they arrive: metadata and content. A content of another media
    /// type than `multipart/form-data` is the file itself. Confined to one request.
    private static final class FileParts {
        private static final int MAX_PARTS = 100;
        private static final int MAX_WARNINGS = 5;

        /// Characters of the name of a part in a warning.
        private static final int MAX_NAME = 64;

        /// A document of 16 MiB holds the description of the file.
        private static final int MAX_METADATA = 16 << 20;

        /// Bytes of metadata that are read at a time.
        private static final int PIECE = 64 << 10;

        /// Of metadata: as received, as a whole, and in BSON.
        private static final int COPIES = 4;

        private final Body body;
        private final InputStream content;
        private final @Nullable MultipartInput multipart;
        private final Optional<String> mediaType;
        private @Nullable BsonDocument metadata;
        private final Set<String> ignored = new LinkedHashSet<>();
        private int parts;
        private boolean atFile;

        /// The metadata as they were sent, if they have a file name, so that they may be the file.
        private byte @Nullable [] jsonFile;

        private FileParts(
                Body body, InputStream content, @Nullable MultipartInput multipart, Optional<String> mediaType) {
            this.body = body;
            this.content = content;
            this.multipart = multipart;
            this.mediaType = mediaType;
        }

        /// Reads up to the beginning of the file.
        ///
        /// @throws IOException if the content is malformed
        static FileParts of(Request request) throws IOException {
            var type = type(request);
            var stream = request.body().stream();
            if (!Multipart.isIn(request)) {
                return new FileParts(
                        request.body(), stream, null, Optional.of(type).filter(MediaTypes::isValid));
            }
            var input = Multipart.input(type, stream);
            var parts = new FileParts(request.body(), stream, input, Optional.empty());
            parts.atFile = input.skipPreamble() && parts.nextFile(input);
            if (!parts.atFile && parts.jsonFile != null) {
                return new FileParts(request.body(), new ByteArrayInputStream(parts.jsonFile), null, Optional.empty());
            }
            if (!parts.atFile) {
                throw Problem.of(CONTENT_INVALID, "This request does not contain any binary file")
                        .withHints(List.of("a part is a file if it has a file name: with curl, -F file=@name; without @"
                                + " it is text"))
                        .raise();
            }
            return parts;
        }

        /// The metadata of an upload, for access rules. Reads the whole content into memory, unless it
        /// consists of the file: then the metadata are its media type.
        ///
        /// @throws org.restheart.http.ProblemException 400 if the content is malformed
        static BsonDocument metadata(Request request) {
            if (!Multipart.isIn(request)) {
                return new BsonDocument(FileMetadata.CONTENT_TYPE, new BsonString(type(request)));
            }
            request.body().bytes(); // what arrives is there once; the handler reads it again
            try {
                var parts = of(request);
                parts.transferTo(OutputStream.nullOutputStream());
                return parts.metadata().orElseGet(BsonDocument::new);
            } catch (IOException e) {
                throw new ProblemException(CONTENT_INVALID, "multipart/form-data: " + e.getMessage());
            }
        }

        private static String type(Request request) {
            return request.headers().first("Content-Type").orElse(MediaTypes.UNKNOWN);
        }

        /// The metadata read so far.
        Optional<BsonDocument> metadata() {
            return Optional.ofNullable(metadata);
        }

        /// The `Content-Type` of a request that consists of the file. That of a part is ignored.
        Optional<String> mediaType() {
            return mediaType;
        }

        /// Reads the file and the parts after it.
        ///
        /// @throws IOException if the content is malformed
        void transferTo(OutputStream file) throws IOException {
            if (multipart == null) {
                content.transferTo(file);
                return;
            }
            multipart.readBodyData(file);
            while (multipart.readBoundary() && nextFile(multipart)) {
                ignore("only one file is stored, the first: send another one by a request of its own");
                multipart.discardBodyData();
            }
        }

        /// About parts without effect, of those that have been read.
        List<String> warnings() {
            return List.copyOf(ignored);
        }

        private void ignore(String why) {
            if (ignored.size() < MAX_WARNINGS) {
                ignored.add(why);
            }
        }

        /// Reads up to the next part that is a file; false if there is none.
        private boolean nextFile(MultipartInput input) throws IOException {
            do {
                if (++parts > MAX_PARTS) {
                    throw new ProblemException(CONTENT_INVALID, "more than " + MAX_PARTS + " parts");
                }
                var head = Multipart.head(Multipart.headers(input));
                var name = head.map(Multipart.Head::name).orElse("");
                boolean isMetadata = metadata == null && FileMetadata.WRAPPERS.contains(name);
                boolean isFile = head.isPresent() && head.get().fileName().isPresent();
                if (isFile && !(isMetadata && head.get().isJson())) {
                    if (isMetadata) {
                        ignore("the part " + name
                                + " has a file name, so it is a file and no metadata; curl sends the text of"
                                + " a file with -F '" + name + "=<NAME'");
                    }
                    return true;
                }
                if (isMetadata) {
                    var text = text(input);
                    metadata = parse(text);
                    jsonFile = isFile ? text : null;
                } else {
                    ignore("the part " + name.substring(0, Math.min(name.length(), MAX_NAME))
                            + " has no effect: metadata are one part with the name metadata");
                    input.discardBodyData();
                }
            } while (input.readBoundary());
            return false;
        }

        /// @throws ProblemException 413; 503 if the caller holds too much already
        private byte[] text(MultipartInput input) throws IOException {
            try (var text = input.newInputStream()) {
                var bytes = new ByteArrayOutputStream();
                for (var piece = text.readNBytes(PIECE); piece.length > 0; piece = text.readNBytes(PIECE)) {
                    body.hold((long) COPIES * piece.length);
                    bytes.writeBytes(piece);
                    if (bytes.size() > MAX_METADATA) {
                        throw new ProblemException(CONTENT_TOO_LARGE, "the metadata are larger than 16 MiB");
                    }
                }
                var metadata = bytes.toByteArray();
                ContentTrees.hold(body, JsonWeight.values(metadata));
                return metadata;
            }
        }

        private static BsonDocument parse(byte[] text) {
            try {
                var value = JsonParser.parse(text);
                if (!value.isDocument()) {
                    throw new ProblemException(CONTENT_INVALID, "the metadata of a file must be a JSON object");
                }
                var document = new BsonDocument();
                document.putAll(value.asDocument());
                var id = document.get("_id");
                if (id != null && id.isArray()) {
                    throw new ProblemException(
                            CONTENT_INVALID, "the type of _id in request data is not supported: ARRAY");
                }
                return document;
            } catch (MalformedJsonException e) {
                throw new ProblemException(CONTENT_INVALID, "Invalid JSON. " + e.getMessage());
            }
        }
    }

    /// Removes what uploads have left whose gateway was terminated. Each gateway searches a bucket at the
    /// first upload to it, and then once a day, or an hour after a search that has failed, after an
    /// upload. Thread-safe.
    static final class AbandonedChunks {
        private static final long PERIOD_NANOS = Duration.ofDays(1).toNanos();

        /// After a search that has failed.
        private static final long RETRY_NANOS = Duration.ofHours(1).toNanos();

        /// Of the buckets beyond, all are forgotten, and searched again.
        private static final int MOST_BUCKETS = 10_000;

        private static final Logger LOG = LoggerFactory.getLogger(AbandonedChunks.class);

        private final BackgroundTasks tasks;
        private final LongSupplier nanoTime;
        private final Map<MongoNamespace, Long> searched = new ConcurrentHashMap<>();

        AbandonedChunks(BackgroundTasks tasks) {
            this(tasks, System::nanoTime);
        }

        AbandonedChunks(BackgroundTasks tasks, LongSupplier nanoTime) {
            this.tasks = tasks;
            this.nanoTime = nanoTime;
        }

        /// Starts a search in the background, if it is time for one.
        void search(Chunks chunks) {
            var bucket = chunks.files().getNamespace();
            long now = nanoTime.getAsLong();
            if (searched.size() > MOST_BUCKETS) {
                searched.clear();
            }
            var last = searched.putIfAbsent(bucket, now);
            if (last == null || (now - last > PERIOD_NANOS && searched.replace(bucket, last, now))) {
                tasks.start("abandoned-chunks", () -> remove(chunks));
            }
        }

        private void remove(Chunks chunks) {
            var bucket = chunks.files().getNamespace();
            int removed = 0;
            try (var found = chunks.withoutFile().cursor()) {
                while (tasks.isRunning() && found.hasNext()) {
                    if (remove(chunks, found.next())) {
                        removed++;
                    }
                }
            } catch (MongoException e) {
                searched.put(bucket, nanoTime.getAsLong() - PERIOD_NANOS + RETRY_NANOS);
                if (tasks.isRunning()) {
                    LOG.warn("The search for abandoned chunks in {} has failed", bucket, e);
                }
            }
            if (removed > 0) {
                LOG.info("Removed the chunks of {} uploads to {} that were never finished", removed, bucket);
            }
        }

        /// Removes the chunks of one upload, or moves them if they are those of a file already; false if
        /// none were removed.
        private static boolean remove(Chunks chunks, BsonValue upload) {
            try {
                return !new ContentMoves(chunks, Duration.ZERO).finishFrom(upload) && chunks.reclaim(upload);
            } catch (ProblemException e) {
                LOG.debug("another request moves the chunks", e);
                return false;
            }
        }
    }
}
