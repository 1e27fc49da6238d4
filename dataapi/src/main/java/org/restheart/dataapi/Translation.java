package org.restheart.dataapi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.restheart.bson.JsonMode;
import org.restheart.data.Operation.Write;
import org.restheart.http.Method;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.http.judged.Via;
import tools.jackson.core.JsonToken;

/// Translates an action to the equivalent request of the REST API.
///
/// @param collection the path of the collection
/// @param canonical whether documents are written as canonical Extended JSON
record Translation(
        Action action, ActionBody body, String collection, DataPaths paths, DataApiConfig config, boolean canonical) {

    private static final byte[] STAGES = "{\"stages\": ".getBytes(StandardCharsets.US_ASCII);

    JudgedRequest request() {
        if (action.needsFilter()) {
            body.requireObject("filter");
        }
        return switch (action) {
            case findOne -> idInPath().map(id -> read(id, Map.of())).orElseGet(() -> find(1));
            case find -> find((int) Math.min(body.integer("limit", limits().documents()), limits().mostDocuments()));
            case insertOne ->
                write(Method.POST, collection, false).withContent(storable("document", JsonToken.START_OBJECT));
            case insertMany ->
                write(Method.POST, collection, false)
                        .with(DataWrite.ORDERED, config.inserts().ordered())
                        .withContent(storable("documents", JsonToken.START_ARRAY));
            case updateOne -> one(Method.PATCH, Write.UPDATE_ONE).withContent(body.requireUpdate("update"));
            case updateMany -> write(Method.PATCH, collection + "/*", true).withContent(body.requireUpdate("update"));
            case replaceOne -> {
                var content = storable("replacement", JsonToken.START_OBJECT);
                yield one(Method.PUT, Write.REPLACE_ONE).withContent(content);
            }
            case deleteOne -> one(Method.DELETE, Write.DELETE_ONE);
            case deleteMany -> write(Method.DELETE, collection + "/*", true);
            case aggregate -> aggregate();
        };
    }

    private byte[] storable(String name, JsonToken first) {
        var json = body.requireStorable(name, first);
        if (first == JsonToken.START_OBJECT
                && body.document(name).keySet().stream().anyMatch(key -> key.startsWith("$"))) {
            throw Refusal.parameter(action.failure() + "field names must not begin with '$'");
        }
        return json;
    }

    /// A write of one document: the one whose id the filter names, or one that matches it.
    private JudgedRequest one(Method method, Write otherwise) {
        return idInPath()
                .map(id -> write(method, id, false))
                .orElseGet(() -> write(method == Method.PUT ? Method.PATCH : method, collection + "/*", true)
                        .with(JudgedRequest.OPERATION, otherwise));
    }

    /// The path of the document, if the filter is only an id that can be written in a path.
    private Optional<String> idInPath() {
        return paths.ofIdIn(body.document("filter")).map(id -> collection + "/" + id);
    }

    private JudgedRequest find(int limit) {
        var parameters = new LinkedHashMap<String, String>();
        body.object("filter").ifPresent(filter -> parameters.put("filter", filter));
        body.object("sort").ifPresent(sort -> parameters.put("sort", sort));
        if (action == Action.findOne || body.has("limit")) {
            parameters.put("pagesize", Integer.toString(limit));
        }
        return read(collection, parameters)
                .with(JudgedRequest.TIME_LIMIT, limits().time())
                .with(Slice.KEY, new Slice(body.integer("skip", 0), limit));
    }

    private DataApiConfig.Limits limits() {
        return config.limits();
    }

    private JudgedRequest read(String target, Map<String, String> parameters) {
        var all = new LinkedHashMap<>(parameters);
        body.object("projection").ifPresent(projection -> all.put("keys", projection));
        return JudgedRequest.at(Method.GET, target, all, via())
                .with(JudgedRequest.JSON_MODE, mode(body.document("projection").containsKey("_etag")));
    }

    private JudgedRequest aggregate() {
        var pipeline = body.requireArray("pipeline");
        var content = ByteBuffer.allocate(STAGES.length + pipeline.length + 1)
                .put(STAGES)
                .put(pipeline)
                .put((byte) '}')
                .array();
        boolean namesTag = new String(pipeline, StandardCharsets.UTF_8).contains("_etag");
        return JudgedRequest.at(Method.POST, collection + "/_aggrs", Map.of(), via())
                .withContent(content)
                .with(JudgedRequest.JSON_MODE, mode(namesTag))
                .with(Slice.KEY, new Slice(0, limits().mostDocuments() + 1))
                .with(JudgedRequest.MOST_DOCUMENTS, limits().mostDocuments())
                .with(JudgedRequest.TIME_LIMIT, limits().time());
    }

    private JudgedRequest write(Method method, String target, boolean filtered) {
        var parameters = new LinkedHashMap<String, String>();
        if (filtered) {
            body.object("filter").ifPresent(filter -> parameters.put("filter", filter));
        }
        if (method != Method.POST && action.mayInsert(body)) {
            parameters.put("wm", "upsert");
        }
        return JudgedRequest.at(method, target, parameters, via()).with(JudgedRequest.TIME_LIMIT, limits().time());
    }

    private Via via() {
        return Via.of(Via.Service.DATA_API, action.name());
    }

    private JsonMode mode(boolean withTag) {
        return canonical
                ? withTag ? JsonMode.EXTENDED : JsonMode.EXTENDED_UNTAGGED
                : withTag ? JsonMode.PLAIN : JsonMode.PLAIN_UNTAGGED;
    }
}
