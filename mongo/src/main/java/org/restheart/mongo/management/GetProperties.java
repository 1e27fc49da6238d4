package org.restheart.mongo.management;

import static org.restheart.http.ProblemCode.NOT_FOUND;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.metadata.EscapedKeys;

/// `GET …/_meta`: the properties stored with a database or a collection, never as HAL; `304` when the client's
/// copy is current.
public final class GetProperties implements DataHandler {
    /// Properties that hold pipelines, which are stored with their keys escaped.
    private static final List<String> PIPELINES = List.of("aggrs", "streams");

    @Override
    public Response handle(DataRequest request) {
        var stored = request.resource()
                .properties()
                .orElseThrow(() -> missing(request.path().kind()));
        var etag = EntityTags.of(stored);
        if (etag.filter(tag -> EntityTags.isKnown(request.http(), tag)).isPresent()) {
            return JsonResponses.empty(304);
        }
        return EntityTags.add(
                JsonResponses.of(request, 200, readable(stored)),
                request.resource().properties());
    }

    private static BsonDocument readable(BsonDocument stored) {
        var properties = withId(stored, "_meta");
        PIPELINES.forEach(name -> properties.computeIfPresent(name, (_, escaped) -> EscapedKeys.unescape(escaped)));
        return properties;
    }

    private static RuntimeException missing(ResourceKind kind) {
        var of = switch (kind) {
            case DB_META -> "db";
            case FILES_BUCKET_META -> "file bucket";
            case SCHEMA_STORE_META -> "schema store";
            default -> "collection";
        };
        return Problem.of(NOT_FOUND, "resource _meta is not defined for this " + of + ".")
                .raise();
    }

    /// A copy with the name of the resource as `_id`, in place of the stored id, and first.
    static BsonDocument withId(BsonDocument properties, String id) {
        var named = new BsonDocument("_id", new BsonString(id));
        properties.forEach((key, value) -> {
            if (!key.equals("_id")) {
                named.append(key, value);
            }
        });
        return named;
    }
}
