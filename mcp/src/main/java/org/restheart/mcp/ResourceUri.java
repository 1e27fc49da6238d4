package org.restheart.mcp;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.DataPaths;

/// A parsed resource URI: `restheart://{database}`, followed by `/{collection}/schema`, `/{collection}/indexes` or
/// `/{collection}/documents/{id}`. Segments are percent-encoded (RFC 3986, 2.1). Immutable.
///
/// @param tool the one whose result is the content
/// @param collection empty for a database
/// @param document for a document: the last segment as it was sent, with the query
record ResourceUri(Tool tool, String database, String collection, Optional<String> document) {
    private static final String SCHEME = "restheart://";
    private static final int MAX_LENGTH = 8_192;

    /// Empty for any other URI.
    static Optional<ResourceUri> parse(String uri) {
        if (!uri.startsWith(SCHEME) || uri.length() > MAX_LENGTH || uri.indexOf('#') >= 0 || uri.indexOf(';') >= 0) {
            return Optional.empty();
        }
        int mark = uri.indexOf('?');
        var path = uri.substring(SCHEME.length(), mark < 0 ? uri.length() : mark);
        var query = mark < 0 ? "" : uri.substring(mark);
        List<String> parts;
        try {
            parts = RequestPath.parse("/" + path).segments();
        } catch (ProblemException _) {
            return Optional.empty();
        }
        boolean isDocument = parts.size() == 4 && parts.get(2).equals("documents");
        if (!query.isEmpty() && !(isDocument && query.startsWith("?id_type="))) {
            return Optional.empty();
        }
        if (isDocument && !parts.get(3).isEmpty() && !DataPaths.RESERVED.contains(parts.get(3))) {
            var id = path.substring(path.lastIndexOf('/') + 1) + query;
            return Optional.of(new ResourceUri(Tool.FIND, parts.get(0), parts.get(1), Optional.of(id)));
        }
        return switch (parts.size()) {
            case 1 -> Optional.of(new ResourceUri(Tool.LIST_COLLECTIONS, parts.getFirst(), "", Optional.empty()));
            case 3 ->
                tool(parts.get(2)).map(tool -> new ResourceUri(tool, parts.get(0), parts.get(1), Optional.empty()));
            default -> Optional.empty();
        };
    }

    private static Optional<Tool> tool(String part) {
        return switch (part) {
            case "schema" -> Optional.of(Tool.COLLECTION_SCHEMA);
            case "indexes" -> Optional.of(Tool.COLLECTION_INDEXES);
            default -> Optional.empty();
        };
    }

    static String ofSchema(String database, String collection) {
        return SCHEME + encoded(database) + "/" + encoded(collection) + "/schema";
    }

    static String encoded(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
