package org.restheart.mongo.file;

import java.util.List;
import java.util.Optional;
import org.bson.BsonValue;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.content.DataContent;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.Locations;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.parameter.SessionParameter;
import org.restheart.mongo.write.Preconditions;

/// The handlers of files.
public final class FileHandlers {
    private FileHandlers() {}

    /// Whether the content of a request is a file, which is stored while it arrives.
    public static boolean isUpload(Request request, ResourceKind kind) {
        return UploadFile.isFor(request, kind);
    }

    /// The metadata in the content of a request that writes a file, however they are wrapped: access rules see what is
    /// stored. The properties in the content of one that writes a bucket. Empty for other requests.
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

    /// A client that sends a file without its type, or as a form, as curl does, gets a hint how files are sent.
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

    /// Writes outside of the session and the transaction of the request: content does not fit into a transaction.
    private static DataHandler outsideSessions(DataHandler handler) {
        return request -> {
            var response = handler.handle(request.withoutSession());
            return SessionParameter.namesTransaction(request.http().query())
                    ? response.map(done -> done.withAlso(
                            "Warning", FoundWarnings.line("files are written outside of transactions, at once")))
                    : response;
        };
    }
}
