package org.restheart.rest.content;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.data.Operation.Write;
import org.restheart.http.Hint;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.Via;
import org.restheart.rest.resource.ResourcePath;
import org.restheart.text.ShortText;
import org.restheart.text.Words;

/// Warnings about the content of requests that have been carried out: files in forms that become documents or
/// properties, since only buckets store files; documents without content, which are allowed, but whose clients may have
/// meant a file that they could not read; and operators of changes below a field, which are stored as its value, or
/// without their `$`, which are fields.
public final class ContentWarnings {
    private static final Set<String> OPERATORS = Words.of("""
        $addToSet $currentDate $inc $max $min $mul $pop $pull $pullAll $push $rename $set $unset
        """);

    private static final int MAX_QUOTED = 50;

    private static final List<Hint<Written>> HINTS = List.of(
            Hint.of(
                    Written::ignoresFiles,
                    "the files in the form are not stored: they go to a collection whose name ends in .files"),
            Hint.of(
                    written -> written.isChange()
                            && written.content().entrySet().stream().allMatch(Written::isBare),
                    written -> "the document now has a field "
                            + written.content().getFirstKey() + "; the operator is written $"
                            + written.content().getFirstKey()),
            Hint.of(written -> written.isChange() && written.operatorBelow().isPresent(), written -> {
                var below = written.operatorBelow().orElseThrow();
                var field = ShortText.of(below.getKey(), MAX_QUOTED);
                var operator = below.getValue().asDocument().getFirstKey();
                return field + " is now an object with the key " + operator + "; an operator is written {\"" + operator
                        + "\": {\"" + field + "\": …}}";
            }),
            Hint.of(
                    Written::lacksContent,
                    written -> "no content: the "
                            + (written.kind.isSchemas()
                                    ? "schema is empty, and accepts every document"
                                    : (written.method == Method.PUT ? "" : "new ")
                                            + "document " + (written.method == Method.PUT ? "now " : "")
                                            + "has only _id and _etag")));

    private ContentWarnings() {}

    /// @param request that has been carried out
    public static List<String> of(Request request) {
        return request.method().isSafe()
                ? List.of()
                : Hint.about(
                        new Written(request, request.require(ResourcePath.KEY).kind(), request.method()), HINTS);
    }

    private record Written(Request request, ResourceKind kind, Method method) {
        boolean ignoresFiles() {
            return switch (kind) {
                case COLLECTION, DOCUMENT, DB ->
                    method != Method.DELETE && Multipart.isIn(request) && Multipart.hasFiles(request);
                default -> false;
            };
        }

        BsonDocument content() {
            return request.require(RequestContent.KEY).value() instanceof BsonDocument document
                    ? document
                    : new BsonDocument();
        }

        boolean isChange() {
            return method == Method.PATCH
                    && (kind == ResourceKind.DOCUMENT || kind == ResourceKind.BULK_DOCUMENTS)
                    && !content().isEmpty();
        }

        /// Whether it is an operator without its `$`.
        static boolean isBare(Map.Entry<String, BsonValue> change) {
            return OPERATORS.contains("$" + change.getKey())
                    && change.getValue().isDocument();
        }

        Optional<Map.Entry<String, BsonValue>> operatorBelow() {
            return content().entrySet().stream()
                    .filter(change -> !change.getKey().startsWith("$")
                            && change.getValue() instanceof BsonDocument value
                            && value.size() == 1
                            && OPERATORS.contains(value.getFirstKey()))
                    .findFirst();
        }

        boolean lacksContent() {
            var operation = request.require(DataTarget.KEY).operation();
            return (operation == Write.INSERT || operation == Write.REPLACE)
                    && !kind.isFiles()
                    && request.body().isAbsent()
                    && !Via.isService(request)
                    && content().isEmpty();
        }
    }
}
