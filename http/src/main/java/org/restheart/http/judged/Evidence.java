package org.restheart.http.judged;

import static org.restheart.http.Method.DELETE;
import static org.restheart.http.Method.GET;
import static org.restheart.http.Method.PATCH;
import static org.restheart.http.Method.POST;
import static org.restheart.http.Method.PUT;

import org.restheart.data.Operation;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;

/// What access rules see of an operation of a service on a collection: the request of the REST API that does the same.
/// Pinned, so that no rule changes its meaning. Immutable.
///
/// @param below what follows the path of the collection; if it ends in a slash, a name or an id comes next
record Evidence(Method method, ResourceKind kind, String below) {
    static Evidence of(Operation operation) {
        return switch (operation) {
            case Read read ->
                switch (read) {
                    case GET -> new Evidence(GET, ResourceKind.DOCUMENT, "/");
                    case FIND -> new Evidence(GET, ResourceKind.COLLECTION, "");
                    case COUNT -> new Evidence(GET, ResourceKind.COLLECTION_SIZE, "/_size");
                    case LIST -> new Evidence(GET, ResourceKind.COLLECTION_INDEXES, "/_indexes");
                    case CHECK -> new Evidence(GET, ResourceKind.COLLECTION_VIOLATIONS, "/_violations");
                    case RUN -> new Evidence(GET, ResourceKind.AGGREGATION, "/_aggrs/");
                    case AGGREGATE -> new Evidence(POST, ResourceKind.AGGREGATIONS, "/_aggrs");
                    case WATCH -> new Evidence(GET, ResourceKind.CHANGE_STREAM, "/_streams/");
                    case DESCRIBE -> new Evidence(GET, ResourceKind.COLLECTION_META, "/_meta");
                };
            case Write write ->
                switch (write) {
                    case INSERT -> new Evidence(POST, ResourceKind.COLLECTION, "");
                    case UPLOAD -> new Evidence(POST, ResourceKind.FILES_BUCKET, "");
                    case REPLACE -> new Evidence(PUT, ResourceKind.DOCUMENT, "/");
                    case UPDATE -> new Evidence(PATCH, ResourceKind.DOCUMENT, "/");
                    case DELETE -> new Evidence(DELETE, ResourceKind.DOCUMENT, "/");
                    case UPDATE_MANY, UPDATE_ONE, REPLACE_ONE -> new Evidence(PATCH, ResourceKind.BULK_DOCUMENTS, "/*");
                    case DELETE_MANY, DELETE_ONE -> new Evidence(DELETE, ResourceKind.BULK_DOCUMENTS, "/*");
                };
            case Structure.CREATE -> new Evidence(PUT, ResourceKind.COLLECTION, "");
            case Structure _, Other _ -> throw new IllegalArgumentException("no service does it: " + operation);
        };
    }

    /// Whether a name or an id follows.
    boolean isOfOne() {
        return below.endsWith("/");
    }
}
