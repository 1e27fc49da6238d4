package org.restheart.rest.management;

import static org.restheart.http.ProblemCode.NOT_FOUND;

import java.util.Comparator;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.http.ProblemException;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.metadata.EscapedKeys;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.write.EntityTags;
import org.restheart.rest.exchange.Caching;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.format.DocumentContent;
import org.restheart.rest.hal.HalPages;
import org.restheart.rest.parameter.FormatParameters.Representation;
import org.restheart.rest.resource.ResourcePath;

/// Reads of what exists: databases, collections, indexes, and the properties stored with them. Reserved names never
/// appear. Thread-safe.
public record CatalogHandlers(Catalog catalog, Metadata metadata) {
    /// Properties that hold pipelines, which are stored with their keys escaped.
    private static final List<String> PIPELINES = List.of("aggrs", "streams");

    private static final List<ResourceKind> KINDS =
            List.of(ResourceKind.FILES_BUCKET, ResourceKind.COLLECTION, ResourceKind.SCHEMA_STORE);

    /// `GET /`: the names of all databases; in HAL, with their properties.
    public Response databases(DataRequest request) {
        request.http().requireThread();
        var all = catalog.databases();
        var page = page(request, all);
        return isStandard(request)
                ? JsonResponses.of(request, 200, BsonTexts.array(page))
                : DocumentContent.response(
                        request.http().lease(),
                        page.stream()
                                .map(name -> withId(
                                        metadata.db(request.http()::requireThread, name, false)
                                                .properties()
                                                .orElseGet(BsonDocument::new),
                                        name))
                                .toList(),
                        HalPages.root(request, all.size()));
    }

    /// `GET /{db}`: the names of the database's collections, buckets and schema store; in HAL, with their
    /// properties.
    public Response collections(DataRequest request) {
        request.http().requireThread();
        var all = catalog.names(request.path().requireDb());
        var page = page(request, all);
        return isStandard(request)
                ? JsonResponses.of(request, 200, BsonTexts.array(page))
                : DocumentContent.response(
                        request.http().lease(), children(request, page), HalPages.database(request, all.size()));
    }

    /// In the order of SHAL's single list; HAL has a list for each kind.
    private List<BsonDocument> children(DataRequest request, List<String> names) {
        var properties = catalog.properties(
                request.path().requireDb(), names, request.http().lease());
        return names.stream()
                .sorted(Comparator.comparingInt(name -> KINDS.indexOf(ResourcePath.kindOf(name))))
                .map(name -> withId(properties.getOrDefault(name, new BsonDocument()), name))
                .toList();
    }

    private static List<String> page(DataRequest request, List<String> names) {
        var paging = request.parameters().find().paging();
        return names.stream().skip(paging.skip()).limit(paging.pageSize()).toList();
    }

    private static boolean isStandard(DataRequest request) {
        return request.parameters().format().representation() == Representation.STANDARD;
    }

    /// `GET /_size`.
    public Response countDatabases(DataRequest request) {
        request.http().requireThread();
        return size(request, catalog.databases().size());
    }

    /// `GET /{db}/_size`.
    public Response countCollections(DataRequest request) {
        request.http().requireThread();
        return size(request, catalog.names(request.path().requireDb()).size());
    }

    private static Response size(DataRequest request, int size) {
        return JsonResponses.of(request, 200, new BsonDocument("_size", new BsonInt64(size)));
    }

    /// `GET /{db}/{collection}/_indexes`: all indexes, each as MongoDB specifies it, with its name as `_id`.
    public Response indexes(DataRequest request) {
        request.http().requireThread();
        var indexes = catalog.indexes(request.namespace()).stream()
                .map(CatalogHandlers::named)
                .toList();
        return isStandard(request)
                ? JsonResponses.of(request, 200, new BsonArray(indexes)).saying(new BsonArray(indexes))
                : DocumentContent.response(request.http().lease(), indexes, HalPages.indexes(request, indexes.size()));
    }

    private static BsonDocument named(BsonDocument specification) {
        var name = specification.remove("name");
        return specification.append("_id", name);
    }

    /// `GET …/_meta`: the properties stored with a database or a collection, never as HAL; `304` when the client's
    /// copy is current.
    public Response properties(DataRequest request) {
        var stored = request.resource()
                .properties()
                .orElseThrow(() -> missing(request.path().kind()));
        if (Caching.isKnown(request.http(), EntityTags.of(stored))) {
            return JsonResponses.empty(304);
        }
        return Caching.withTag(
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
        return new ProblemException(NOT_FOUND, "resource _meta is not defined for this " + of + ".");
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
