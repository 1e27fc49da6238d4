package org.restheart.mcp;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.restheart.http.NamedOperation;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;

/// `resources/list`, `resources/templates/list` and `resources/read`. Thread-safe.
final class Resources {
    private static final String MEDIA_TYPE = "application/json";
    private static final int PAGE = 100;

    /// What makes cursors of resources differ from those of tools.
    private static final BsonString MATTER = new BsonString("resources");

    private final Set<Tool> offered;
    private final VisibleCollections visible;
    private final ToolHandlers handlers;
    private final ListCursors cursors;
    private final CallRecords records;

    /// @param offered the enabled tools; resources of others do not exist
    Resources(
            Set<Tool> offered,
            VisibleCollections visible,
            ToolHandlers handlers,
            SealedTokens tokens,
            CallRecords records) {
        this.offered = offered;
        this.visible = visible;
        this.handlers = handlers;
        this.cursors = ListCursors.ofLists(tokens);
        this.records = records;
    }

    /// The schemas of visible collections, sorted by the names of databases and collections.
    BsonDocument list(Request http, RpcRequest rpc, PresentedCredential credential) {
        var after = Optional.ofNullable(rpc.params().get(cursors.name()))
                .map(sent -> sent instanceof BsonString text ? text.getValue() : "")
                .map(token -> cursors.open(token, credential, MATTER, VisibleCollections.ListPosition::of));
        var resources = new BsonArray();
        var page = new BsonDocument("resources", resources);
        if (!offered.contains(Tool.COLLECTION_SCHEMA)) {
            return page;
        }
        var found = visible.all(http, after, PAGE);
        found.items()
                .forEach(one -> resources.add(new BsonDocument(
                                "uri",
                                new BsonString(ResourceUri.ofSchema(
                                        one.database(), one.entry().name())))
                        .append(
                                "name",
                                new BsonString(QuotedNames.cut(
                                        one.database() + "." + one.entry().name())))
                        .append("title", new BsonString("Fields and types"))
                        .append("mimeType", new BsonString(MEDIA_TYPE))));
        found.next()
                .ifPresent(place ->
                        page.append("nextCursor", new BsonString(cursors.next(credential, MATTER, place.toBson()))));
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
            templates.add(new BsonDocument("uriTemplate", new BsonString(uri))
                    .append("name", new BsonString(name))
                    .append("mimeType", new BsonString(MEDIA_TYPE)));
        }
    }

    /// @throws RpcError the same for a resource that does not exist and for one that may not be read
    BsonDocument read(Request http, RpcRequest rpc, PresentedCredential credential) {
        var uri = rpc.text("uri");
        var parsed = ResourceUri.parse(uri).filter(known -> offered.contains(known.tool()));
        http.attribute(NamedOperation.OBSERVER)
                .ifPresent(observer -> observer.accept(new NamedOperation(rpc.method(), rpc.method())));
        var arguments = parsed.map(Resources::arguments).orElseGet(BsonDocument::new);
        try (var record = records.begin(http, rpc, credential, rpc.method(), arguments)) {
            try (var _ = records.count(credential)) {
                var resource = parsed.orElseThrow(RefusalMessages::notVisible);
                var text = text(resource, new ToolCall(resource.tool(), arguments, http, rpc, credential));
                record.done();
                return contents(uri, resource, text);
            } catch (RefusedCall refused) {
                record.refused(refused);
                throw error(rpc, refused);
            } catch (ProblemException problem) {
                var told = told(problem.problem(), http);
                record.refused(told, problem.problem());
                throw error(rpc, told);
            }
        }
    }

    private static BsonDocument contents(String uri, ResourceUri resource, String text) {
        var content = new BsonDocument("uri", new BsonString(uri))
                .append("mimeType", new BsonString(MEDIA_TYPE))
                .append("text", new BsonString(Fence.aroundAsJson(text)));
        return new BsonDocument("contents", new BsonArray(List.of(content)))
                .append("ttlMs", new BsonInt64(resource.document().isPresent() ? 0 : McpMethods.SHORT))
                .append("cacheScope", new BsonString("private"));
    }

    private static RefusedCall told(Problem problem, Request http) {
        return problem.code() == ProblemCode.NOT_FOUND
                ? RefusalMessages.notVisible()
                : RefusalMessages.of(problem, new BsonDocument(), http.id());
    }

    private static RpcError error(RpcRequest rpc, RefusedCall refused) {
        boolean isUnknown = refused.reason().equals("not-permitted");
        int code = isUnknown && rpc.revision().isLegacy() ? RpcError.UNKNOWN_RESOURCE : RpcError.INVALID_PARAMS;
        return RpcError.of(200, code, isUnknown ? "no such resource, or no permission" : refused.text());
    }

    private static BsonDocument arguments(ResourceUri resource) {
        var arguments = new BsonDocument("database", new BsonString(resource.database()));
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
}
