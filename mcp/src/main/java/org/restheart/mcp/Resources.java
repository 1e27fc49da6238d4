package org.restheart.mcp;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.http.PercentCoding;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.judged.DataPaths;

/// `resources/list`, `resources/templates/list` and `resources/read`. Thread-safe.
///
/// @param offered the enabled tools; resources of others do not exist
record Resources(
        Set<Tool> offered,
        VisibleCollections visible,
        Tools.Handlers handlers,
        SealedTokens.Cursors cursors,
        CallRecords records) {
    private static final String MEDIA_TYPE = "application/json";
    private static final int PAGE = 100;

    /// What makes cursors of resources differ from those of tools.
    private static final BsonString MATTER = new BsonString("resources");

    /// The schemas of visible collections, sorted by the names of databases and collections.
    BsonDocument list(RpcRequest rpc) {
        var after = Optional.ofNullable(rpc.params().get(cursors.name()))
                .map(sent -> sent instanceof BsonString text ? text.getValue() : "")
                .map(token -> cursors.open(token, rpc.credential(), MATTER, VisibleCollections.ListPosition::of));
        var resources = new BsonArray();
        var page = new BsonDocument("resources", resources);
        if (!offered.contains(Tool.COLLECTION_SCHEMA)) {
            return page;
        }
        var found = visible.all(rpc.http(), after, PAGE);
        for (var one : found.items()) {
            var name = one.entry().name();
            resources.add(object(
                    "uri",
                    ResourceUri.ofSchema(one.database(), name),
                    "name",
                    Fence.cut(one.database() + "." + name),
                    "title",
                    "Fields and types",
                    "mimeType",
                    MEDIA_TYPE));
        }
        found.next()
                .ifPresent(place -> page.append(
                        "nextCursor", new BsonString(cursors.next(rpc.credential(), MATTER, place.toBson()))));
        return page;
    }

    BsonDocument templates() {
        var templates = new BsonArray();
        add(templates, Tool.LIST_COLLECTIONS, "restheart://{database}", "Collections");
        add(templates, Tool.COLLECTION_SCHEMA, "restheart://{database}/{collection}/schema", "Fields and types");
        add(templates, Tool.COLLECTION_INDEXES, "restheart://{database}/{collection}/indexes", "Indexes");
        add(templates, Tool.FIND, "restheart://{database}/{collection}/documents/{id}", "A document, whole");
        return new BsonDocument("resourceTemplates", templates);
    }

    private void add(BsonArray templates, Tool tool, String uri, String name) {
        if (offered.contains(tool)) {
            templates.add(object("uriTemplate", uri, "name", name, "mimeType", MEDIA_TYPE));
        }
    }

    /// @throws RpcError the same for a resource that does not exist and for one that may not be read
    BsonDocument read(RpcRequest rpc) {
        var uri = rpc.text("uri");
        var parsed = ResourceUri.parse(uri).filter(known -> offered.contains(known.tool()));
        rpc.observed(rpc.method());
        var arguments = parsed.map(Resources::arguments).orElseGet(BsonDocument::new);
        try (var record = records.begin(rpc, rpc.method(), arguments)) {
            var contents = record.of(
                    () -> {
                        try (var _ = records.count(rpc.credential())) {
                            var resource = parsed.orElseThrow(RefusedCall::notVisible);
                            var text = text(resource, new ToolCall(resource.tool(), arguments, rpc));
                            return contents(uri, resource, text);
                        }
                    },
                    problem -> refusal(problem, rpc.http()));
            record.done();
            return contents;
        } catch (RefusedCall refused) {
            throw error(rpc, refused);
        }
    }

    private static BsonDocument contents(String uri, ResourceUri resource, String text) {
        var content = object("uri", uri, "mimeType", MEDIA_TYPE, "text", Fence.aroundAsJson(text));
        long millis = resource.document().isPresent() ? 0 : McpMethods.SHORT;
        return object("contents", array(content), "ttlMs", millis, "cacheScope", "private");
    }

    private static RefusedCall refusal(Problem problem, Request http) {
        return problem.code() == ProblemCode.NOT_FOUND
                ? RefusedCall.notVisible()
                : RefusedCall.of(problem, new BsonDocument(), http.id());
    }

    private static RpcError error(RpcRequest rpc, RefusedCall refused) {
        boolean isUnknown = refused.reason().equals("not-permitted");
        int code = isUnknown && rpc.revision().isLegacy() ? RpcError.UNKNOWN_RESOURCE : RpcError.INVALID_PARAMS;
        return RpcError.of(200, code, isUnknown ? "no such resource, or no permission" : refused.text());
    }

    private static BsonDocument arguments(ResourceUri resource) {
        var arguments = object("database", resource.database());
        return resource.collection().isEmpty()
                ? arguments
                : arguments.append("collection", new BsonString(resource.collection()));
    }

    /// One JSON value.
    private String text(ResourceUri resource, ToolCall call) {
        return resource.document().isPresent()
                ? handlers.reads().whole(call, resource.document().get())
                : handlers.run(call).data().orElse("null");
    }

    /// A parsed resource URI: `restheart://{database}`, followed by `/{collection}/schema`,
    /// `/{collection}/indexes` or `/{collection}/documents/{id}`. Segments are percent-encoded (RFC 3986,
    /// 2.1). Immutable.
    ///
    /// @param tool the one whose result is the content
    /// @param collection empty for a database
    /// @param document for a document: the last segment as it was sent, with the query
    record ResourceUri(Tool tool, String database, String collection, Optional<String> document) {
        private static final String SCHEME = "restheart://";
        private static final int MAX_LENGTH = 8_192;

        /// Empty for any other URI.
        static Optional<ResourceUri> parse(String uri) {
            if (!uri.startsWith(SCHEME)
                    || uri.length() > MAX_LENGTH
                    || uri.indexOf('#') >= 0
                    || uri.indexOf(';') >= 0) {
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
            if (isDocument && !parts.get(3).isEmpty() && !DataPaths.isReserved(parts.get(3))) {
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
            return PercentCoding.encode(part, "");
        }
    }
}
