package org.restheart.mongo.content;

import java.util.List;
import org.bson.BsonDocument;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.resource.ResourcePath;

/// Warnings about documents that were written without content, which is allowed: clients may have meant a file that
/// they could not read.
public final class NoContent {
    private NoContent() {}

    /// Whether a request writes a document without content.
    public static boolean concern(Request request) {
        var kind = request.require(ResourcePath.KEY).kind();
        boolean writes = switch (request.method()) {
            case POST -> kind == ResourceKind.COLLECTION || kind == ResourceKind.SCHEMA_STORE;
            case PUT -> kind == ResourceKind.DOCUMENT || kind == ResourceKind.SCHEMA;
            default -> false;
        };
        return writes
                && request.body().isAbsent()
                && request.attribute(DataWrite.KEY).isEmpty();
    }

    /// @param request that has been carried out
    public static List<String> of(Request request) {
        boolean isEmpty = concern(request)
                && request.require(RequestContent.KEY).value() instanceof BsonDocument content
                && content.isEmpty();
        if (!isEmpty) {
            return List.of();
        }
        if (request.require(ResourcePath.KEY).kind().isSchemas()) {
            return List.of("no content: the schema is empty, and accepts every document");
        }
        return List.of(
                request.method() == Method.PUT
                        ? "no content: the document now has only _id and _etag"
                        : "no content: the new document has only _id and _etag");
    }
}
