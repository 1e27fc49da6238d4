package org.restheart.dataapi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.restheart.bson.JsonMode;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Write;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.DataWrite;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.http.judged.JudgedRequest.Slice;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.DataParameter;
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
            case findOne ->
                id().map(id -> read(Read.GET, id, new EnumMap<>(DataParameter.class)))
                        .orElseGet(() -> find(1));
            case find -> find((int) Math.min(body.integer("limit", limits().documents()), limits().mostDocuments()));
            case insertOne -> write(Write.INSERT, "").withContent(storable("document", JsonToken.START_OBJECT));
            case insertMany ->
                write(Write.INSERT, "")
                        .with(DataWrite.ORDERED, config.inserts().ordered())
                        .withContent(storable("documents", JsonToken.START_ARRAY));
            case updateOne -> one(Write.UPDATE, Write.UPDATE_ONE).withContent(body.requireUpdate("update"));
            case updateMany -> write(Write.UPDATE_MANY, "").withContent(body.requireUpdate("update"));
            case replaceOne -> {
                var content = storable("replacement", JsonToken.START_OBJECT);
                yield one(Write.REPLACE, Write.REPLACE_ONE).withContent(content);
            }
            case deleteOne -> one(Write.DELETE, Write.DELETE_ONE);
            case deleteMany -> write(Write.DELETE_MANY, "");
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
    private JudgedRequest one(Write named, Write otherwise) {
        return id().map(id -> write(named, id)).orElseGet(() -> write(otherwise, ""));
    }

    /// The id of the document as in a path, if the filter is only an id that can be written in one.
    private Optional<String> id() {
        return paths.ofIdIn(body.document("filter"));
    }

    private JudgedRequest find(int limit) {
        var parameters = new EnumMap<DataParameter, String>(DataParameter.class);
        body.object("filter").ifPresent(filter -> parameters.put(DataParameter.FILTER, filter));
        body.object("sort").ifPresent(sort -> parameters.put(DataParameter.SORT, sort));
        if (action == Action.findOne || body.has("limit")) {
            parameters.put(DataParameter.PAGE_SIZE, Integer.toString(limit));
        }
        return read(Read.FIND, "", parameters)
                .with(JudgedRequest.TIME_LIMIT, limits().time())
                .with(Slice.KEY, new Slice(body.integer("skip", 0), limit));
    }

    private DataApiConfig.Limits limits() {
        return config.limits();
    }

    private JudgedRequest read(Read operation, String id, Map<DataParameter, String> parameters) {
        var all = new EnumMap<>(parameters);
        body.object("projection").ifPresent(projection -> all.put(DataParameter.KEYS, projection));
        return JudgedRequest.of(operation, collection, id, all, via())
                .with(new Answer.Json(mode(body.document("projection").containsKey("_etag"))));
    }

    private JudgedRequest aggregate() {
        var pipeline = body.requireArray("pipeline");
        var content = ByteBuffer.allocate(STAGES.length + pipeline.length + 1)
                .put(STAGES)
                .put(pipeline)
                .put((byte) '}')
                .array();
        boolean namesTag = new String(pipeline, StandardCharsets.UTF_8).contains("_etag");
        return JudgedRequest.of(Read.AGGREGATE, collection, "", Map.of(), via())
                .withContent(content)
                .with(new Answer.Json(mode(namesTag)))
                .with(Slice.KEY, new Slice(0, limits().mostDocuments() + 1, true, true))
                .with(JudgedRequest.TIME_LIMIT, limits().time());
    }

    /// @param id as in a path; empty for what matches the filter
    private JudgedRequest write(Write operation, String id) {
        var parameters = new EnumMap<DataParameter, String>(DataParameter.class);
        if (operation != Write.INSERT && id.isEmpty()) {
            body.object("filter").ifPresent(filter -> parameters.put(DataParameter.FILTER, filter));
        }
        if (operation != Write.INSERT && action.mayInsert(body)) {
            parameters.put(DataParameter.WRITE_MODE, "upsert");
        }
        return JudgedRequest.of(operation, collection, id, parameters, via())
                .with(JudgedRequest.TIME_LIMIT, limits().time());
    }

    private Via via() {
        return Via.of(Via.Service.DATA_API, action.name());
    }

    private JsonMode mode(boolean withTag) {
        return canonical
                ? withTag ? JsonMode.EXTENDED : JsonMode.EXTENDED_UNTAGGED
                : withTag ? JsonMode.ATLAS : JsonMode.ATLAS_UNTAGGED;
    }
}
