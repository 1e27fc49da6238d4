package org.restheart.mongo.parameter;

import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.List;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.resource.ResourceMethods;
import org.restheart.mongo.resource.ResourcePath;

/// Parameters that select documents. A write to a whole collection or database is refused with one of them: it lacks
/// the `/*` of the documents, and would drop or change the whole.
public final class DocumentsOnly {
    private static final List<String> NAMES = List.of("filter", "shardkey", "sort", "sort_by", "hint");

    private DocumentsOnly() {}

    /// @throws ProblemException 400
    public static void check(Request request, ResourcePath path) {
        if (ResourceMethods.changeProperties(path.kind(), request.method())) {
            for (var name : NAMES) {
                if (request.query().has(name)) {
                    throw new ProblemException(PARAMETER_INVALID, refusal(name, request, path.kind()));
                }
            }
        }
    }

    private static String refusal(String name, Request request, ResourceKind kind) {
        boolean isDatabase = kind == ResourceKind.DB;
        var place = request.path().decoded().replaceAll("/+$", "");
        var text = (name.equals("filter") ? "a filter" : "the parameter " + name) + " selects documents, and "
                + request.method() + " " + (place.isEmpty() ? "/" : place) + " concerns the whole "
                + (isDatabase ? "database" : "collection");
        if (kind == ResourceKind.FILES_BUCKET && request.method() != Method.DELETE) {
            return text;
        }
        return text + "; it belongs to " + (isDatabase ? "the path of a collection with /*" : place + "/*");
    }
}
