package org.restheart.mongo.file;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.Update;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.mongo.content.Multipart;
import org.restheart.mongo.content.UpdateContent;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.RequestCollections;
import org.restheart.mongo.guard.HiddenFields;
import org.restheart.mongo.parameter.Parameters.WriteMode;
import org.restheart.mongo.write.Preconditions;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteResponses;
import org.restheart.mongo.write.WrittenCheck;

/// `PUT` of a file without content replaces its metadata, `PATCH` changes some of them; the content stays.
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
        return WriteResponses.of(outcome, etag.toHexString(), "The ETag must be provided using the 'If-Match' header");
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
            throw new ProblemException(CONTENT_INVALID, "only metadata is allowed for PATCH requests, not binary data");
        }
    }
}
