package org.restheart.mongo.hal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.data.Privilege;
import org.restheart.http.KnownKeys;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.JsonResponses;
import org.restheart.mongo.format.DocumentFormat;
import org.restheart.mongo.hal.Links.RequestUri;
import org.restheart.mongo.hal.Relationship.InvalidRelationship;
import org.restheart.mongo.parameter.ParameterWarnings;
import org.restheart.mongo.parameter.Parameters;
import org.restheart.mongo.resource.IdSpelling;
import org.restheart.mongo.resource.ResourcePath;

/// The lists of the data API as HAL or SHAL, as requested.
public final class HalPages {
    private static final KnownKeys RELATIONSHIP = KnownKeys.of("rel type role target-db target-coll ref-field");

    private HalPages() {}

    /// Documents, files or schemas of a collection.
    ///
    /// @param size number of elements on all pages, if counted
    public static DocumentFormat collection(DataRequest request, OptionalLong size) {
        var kind = request.path().kind();
        var head = new Head(request)
                .properties(
                        request.path().requireCollection(), request.resource().properties())
                .type(kind.name())
                .size(size);
        var links = new Links();
        if (request.parameters().format().halFull()) {
            links.addSelf(request, size).addCollection(request);
        }
        links.addDeclared(request);
        var relation = switch (kind) {
            case FILES_BUCKET -> "rh:file";
            case SCHEMA_STORE -> "rh:schema";
            default -> "rh:doc";
        };
        var represent = HalDocument.childrenOf(request);
        return new HalPage(head.members, links, _ -> relation, represent).format(request.parameters());
    }

    /// Collections of a database, each a document of its name as `_id` and its properties: those of
    /// one kind together.
    public static DocumentFormat database(DataRequest request, long size) {
        var head = new Head(request)
                .properties(request.path().requireDb(), request.resource().properties())
                .type("DB")
                .size(OptionalLong.of(size));
        var links = new Links();
        if (request.parameters().format().halFull()) {
            links.addSelf(request, OptionalLong.of(size)).addDatabase(request);
        }
        return new HalPage(
                        head.members,
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
        var head = new Head(request).type("ROOT").size(OptionalLong.of(size));
        var links = new Links();
        if (request.parameters().format().halFull()) {
            links.addSelf(request, OptionalLong.of(size)).addRoot(request);
        }
        return new HalPage(head.members, links, _ -> "rh:db", child -> named(request, child, "DB"))
                .format(request.parameters());
    }

    /// @param size how many indexes there are
    public static DocumentFormat indexes(DataRequest request, int size) {
        var head = new Head(request).type("COLLECTION_INDEXES").members.append("_size", new BsonInt32(size));
        var links = new Links();
        if (request.parameters().format().halFull()) {
            links.addIndexes(request);
        }
        return new HalPage(head, links, _ -> "rh:index", child -> typed(request, child, "INDEX"))
                .format(request.parameters());
    }

    /// The results of an aggregation.
    public static DocumentFormat results(DataRequest request) {
        var none = new BsonDocument("_size", new BsonInt32(0));
        var links = new Links();
        if (request.parameters().format().halFull()) {
            links.addAggregation(request);
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

    /// What is wrong with the relationships, each of which documents would be shown with instead of a link.
    ///
    /// @param rels the property's value
    public static List<String> relationshipWarnings(BsonValue rels) {
        if (!(rels instanceof BsonArray all)) {
            return List.of("no document will have links: wrong 'rels': not an array of objects");
        }
        var warnings = new ArrayList<String>();
        for (var rel : all) {
            try {
                warnings.addAll(RELATIONSHIP.warnings(
                        "rels: " + Relationship.parse(rel, "").name(), rel.asDocument()));
            } catch (InvalidRelationship e) {
                warnings.add("documents will have a warning in place of a link: " + e.getMessage());
            }
        }
        return warnings;
    }

    /// The top-level members of a list besides its links and children: stored properties, type and size. Confined to
    /// one request.
    private static final class Head {
        private static final Set<String> DEFINITIONS = Set.of("aggrs", "streams", "jsonSchema");

        private final BsonDocument members = new BsonDocument();
        private final Parameters parameters;
        private final boolean showsDefinitions;

        Head(DataRequest request) {
            this.parameters = request.parameters();
            request.http()
                    .attribute(ParameterWarnings.KEY)
                    .ifPresent(warnings -> members.append("_warnings", BsonTexts.array(warnings)));
            var grant = request.grant();
            this.showsDefinitions = grant.allows(Privilege.MANAGEMENT) || grant.showsAll();
        }

        /// The properties stored with a resource, unless the client excludes them. A caller with hidden fields sees no
        /// definitions, since their text may name hidden fields; `_meta` refuses them as well.
        Head properties(String id, Optional<BsonDocument> stored) {
            if (!parameters.format().noProperties()) {
                members.append("_id", new BsonString(id));
                stored.ifPresent(properties -> properties.forEach((name, value) -> {
                    if (!name.equals("_id") && (showsDefinitions || !DEFINITIONS.contains(name))) {
                        members.append(name, value);
                    }
                }));
            }
            return this;
        }

        /// The kind of resource, in the full form only.
        Head type(String type) {
            if (parameters.format().halFull()) {
                members.append("_type", new BsonString(type));
            }
            return this;
        }

        /// The number of elements on all pages, if known.
        Head size(OptionalLong size) {
            if (size.isPresent()) {
                members.append("_size", new BsonInt64(size.getAsLong()));
                int pageSize = parameters.find().paging().pageSize();
                if (pageSize > 0) {
                    members.append("_total_pages", new BsonInt64(Math.ceilDiv(size.getAsLong(), pageSize)));
                }
            }
            return this;
        }
    }
}
