package org.restheart.mongo.content;

import java.util.List;
import java.util.Locale;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.mongo.resource.ResourcePath;

/// Warnings about files in forms that become documents or properties: only buckets store files.
public final class IgnoredFiles {
    private IgnoredFiles() {}

    /// Whether a request may contain such a file.
    public static boolean concern(Request request) {
        boolean writes =
                request.method() == Method.POST || request.method() == Method.PUT || request.method() == Method.PATCH;
        return writes
                && mediaType(request).toLowerCase(Locale.ROOT).startsWith("multipart/form-data")
                && switch (request.require(ResourcePath.KEY).kind()) {
                    case COLLECTION, DOCUMENT, DB -> true;
                    default -> false;
                };
    }

    /// @param request that has been carried out
    public static List<String> of(Request request) {
        return concern(request)
                        && Multipart.parse(mediaType(request), request.body().bytes(), Form.MAX_FIELDS).stream()
                                .anyMatch(part -> part.fileName().isPresent())
                ? List.of("the files in the form are not stored: they go to a collection whose name ends in .files")
                : List.of();
    }

    private static String mediaType(Request request) {
        return request.headers().first("Content-Type").orElse("");
    }
}
