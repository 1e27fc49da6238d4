package org.restheart.mongo.hal;

import java.util.Optional;
import java.util.OptionalLong;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.format.DocumentFormat;
import org.restheart.mongo.resource.IdSpelling;
import org.restheart.mongo.resource.ResourcePath;

/// The lists of the data API as HAL or SHAL, as requested.
public final class HalPages {
    private HalPages() {}

    /// Documents, files or schemas of a collection.
    ///
    /// @param size number of elements on all pages, if counted
    public static DocumentFormat collection(DataRequest request, OptionalLong size) {
        var kind = request.path().kind();
        var head = new HalHead(request)
                .properties(
                        request.path().requireCollection(), request.resource().properties())
                .type(kind.name())
                .size(size);
        var links = new Links();
        if (request.parameters().format().halFull()) {
            ListLinks.self(links, request, size);
            ListLinks.ofCollection(links, request);
        }
        ListLinks.declared(links, request);
        var relation = switch (kind) {
            case FILES_BUCKET -> "rh:file";
            case SCHEMA_STORE -> "rh:schema";
            default -> "rh:doc";
        };
        var represent = HalDocument.childrenOf(request);
        return new HalPage(head.members(), links, _ -> relation, represent).format(request.parameters());
    }

    /// Collections of a database, each a document of its name as `_id` and its properties: those of
    /// one kind together.
    public static DocumentFormat database(DataRequest request, long size) {
        var head = new HalHead(request)
                .properties(request.path().requireDb(), request.resource().properties())
                .type("DB")
                .size(OptionalLong.of(size));
        var links = new Links();
        if (request.parameters().format().halFull()) {
            ListLinks.self(links, request, OptionalLong.of(size));
            ListLinks.ofDatabase(links, request);
        }
        return new HalPage(
                        head.members(),
                        links,
                        child -> relation(ResourcePath.kindOf(name(child))),
                        child -> named(
                                request, child, ResourcePath.kindOf(name(child)).name()))
                .format(request.parameters());
    }

    private static String relation(ResourceKind kind) {
        return switch (kind) {
            case FILES_BUCKET -> "rh:bucket";
            case SCHEMA_STORE -> "rh:schema-store";
            default -> "rh:coll";
        };
    }

    /// All databases, each a document of its name as `_id` and its properties.
    public static DocumentFormat root(DataRequest request, long size) {
        var head = new HalHead(request).type("ROOT").size(OptionalLong.of(size));
        var links = new Links();
        if (request.parameters().format().halFull()) {
            ListLinks.self(links, request, OptionalLong.of(size));
            ListLinks.ofRoot(links, request);
        }
        return new HalPage(head.members(), links, _ -> "rh:db", child -> named(request, child, "DB"))
                .format(request.parameters());
    }

    /// @param size how many indexes there are
    public static DocumentFormat indexes(DataRequest request, int size) {
        var head = new HalHead(request).type("COLLECTION_INDEXES").members().append("_size", new BsonInt32(size));
        var links = new Links();
        if (request.parameters().format().halFull()) {
            ListLinks.ofIndexes(links, request);
        }
        return new HalPage(head, links, _ -> "rh:index", child -> typed(request, child, "INDEX"))
                .format(request.parameters());
    }

    /// The results of an aggregation.
    public static DocumentFormat results(DataRequest request) {
        var none = new BsonDocument("_size", new BsonInt32(0));
        var links = new Links();
        if (request.parameters().format().halFull()) {
            ListLinks.ofAggregation(links, request);
        }
        return new HalPage(new BsonDocument(), none, links, _ -> "rh:result", child -> child)
                .format(request.parameters());
    }

    private static String name(BsonDocument child) {
        return child.getString("_id").getValue();
    }

    private static BsonDocument named(DataRequest request, BsonDocument child, String type) {
        if (request.parameters().format().halFull()) {
            var self = RequestUri.of(request).below(IdSpelling.encode(name(child)));
            typed(request, child, type)
                    .append(Links.MEMBER, new Links().add("self", self).toDocument());
        }
        return child;
    }

    private static BsonDocument typed(DataRequest request, BsonDocument child, String type) {
        return request.parameters().format().halFull() ? child.append("_type", new BsonString(type)) : child;
    }

    /// A `200` of one document, file or schema.
    public static Response.Ready document(DataRequest request, BsonDocument document) {
        var represented = HalDocument.of(request).represent(document, Optional.of(request.selfPath()));
        return JsonResponses.of(request, 200, represented, HalPage.MEDIA_TYPE);
    }
}
