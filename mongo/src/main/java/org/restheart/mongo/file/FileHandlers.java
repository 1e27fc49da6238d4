package org.restheart.mongo.file;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import com.mongodb.ReadPreference;
import com.mongodb.client.model.Projections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.Update;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.content.Multipart;
import org.restheart.mongo.content.UpdateContent;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.exchange.Locations;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.parameter.SessionParameter;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;
import org.restheart.mongo.write.WrittenCheck;

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
    record ChangeMetadata(RequestCollections collections, Preconditions preconditions) implements DataHandler {
        private static final String PREFIX = "metadata.";

        @Override
        public Response handle(DataRequest request) {
            boolean patches = request.http().method() == Method.PATCH;
            if (patches) {
                refuseFiles(request);
            }
            var content = FileMetadata.given(request.contentDocument());
            var etag = new ObjectId();
            var set = patches ? changed(request, content, etag) : replaced(request, content, etag);
            var update = new Update.Operators(new BsonDocument("$set", set));
            request.http().requireThread();
            var target = TargetDocument.file(
                    SessionCollection.of(collections, request),
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
            var prefixed = new BsonDocument();
            fields.forEach((path, value) -> prefixed.put(PREFIX + path, value));
            return prefixed;
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
    static final class DeleteFiles {
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
                                        SessionCollection.of(collections, request),
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
}
