package org.restheart.mongo.content;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.ShortText;
import org.restheart.http.Words;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.resource.ResourcePath;

/// Warnings about the content of requests that have been carried out: files in forms that become documents or
/// properties, since only buckets store files; documents without content, which are allowed, but whose clients may have
/// meant a file that they could not read; and operators of changes below a field, which are stored as its value, or
/// without their `$`, which are fields.
public final class ContentWarnings {
    private static final Set<String> OPERATORS = Words.of("""
        $addToSet $currentDate $inc $max $min $mul $pop $pull $pullAll $push $rename $set $unset
        """);

    private static final int MAX_QUOTED = 50;

    private ContentWarnings() {}

    /// Whether there may be warnings about a request.
    public static boolean mayApply(Request request) {
        return mayIgnoreFiles(request) || lacksContent(request) || changesFields(request);
    }

    /// @param request that has been carried out
    public static List<String> of(Request request) {
        if (mayIgnoreFiles(request) && Multipart.hasFiles(request)) {
            return List.of("the files in the form are not stored: they go to a collection whose name ends in .files");
        }
        if (changesFields(request) && request.require(RequestContent.KEY).value() instanceof BsonDocument changes) {
            return ofOperators(changes).stream().toList();
        }
        if (!lacksContent(request)
                || !(request.require(RequestContent.KEY).value() instanceof BsonDocument content)
                || !content.isEmpty()) {
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

    private static boolean changesFields(Request request) {
        return request.method() == Method.PATCH
                && switch (request.require(ResourcePath.KEY).kind()) {
                    case DOCUMENT, BULK_DOCUMENTS -> true;
                    default -> false;
                };
    }

    private static Optional<String> ofOperators(BsonDocument changes) {
        boolean bare = changes.entrySet().stream()
                .allMatch(entry -> OPERATORS.contains("$" + entry.getKey())
                        && entry.getValue().isDocument());
        if (bare && !changes.isEmpty()) {
            var name = changes.getFirstKey();
            return Optional.of("the document now has a field " + name + "; the operator is written $" + name);
        }
        return changes.entrySet().stream()
                .filter(entry -> !entry.getKey().startsWith("$")
                        && entry.getValue() instanceof BsonDocument value
                        && value.size() == 1
                        && OPERATORS.contains(value.getFirstKey()))
                .findFirst()
                .map(entry -> {
                    var field = ShortText.of(entry.getKey(), MAX_QUOTED);
                    var operator = entry.getValue().asDocument().getFirstKey();
                    return field + " is now an object with the key " + operator + "; an operator is written {\""
                            + operator + "\": {\"" + field + "\": …}}";
                });
    }

    private static boolean mayIgnoreFiles(Request request) {
        boolean writes =
                request.method() == Method.POST || request.method() == Method.PUT || request.method() == Method.PATCH;
        return writes
                && Multipart.isIn(request)
                && switch (request.require(ResourcePath.KEY).kind()) {
                    case COLLECTION, DOCUMENT, DB -> true;
                    default -> false;
                };
    }

    /// Whether the request writes a document and has no content.
    private static boolean lacksContent(Request request) {
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
}
