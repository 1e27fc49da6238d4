package org.restheart.rest.hal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.Utf8Buffer;
import org.restheart.data.Privilege;
import org.restheart.http.KnownKeys;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.mongo.write.EntityTags;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.JsonResponses;
import org.restheart.rest.format.DocumentFormat;
import org.restheart.rest.hal.Links.RequestUri;
import org.restheart.rest.hal.Relationship.InvalidRelationship;
import org.restheart.rest.parameter.FormatParameters.Representation;
import org.restheart.rest.parameter.ParameterWarnings;
import org.restheart.rest.parameter.Parameters;
import org.restheart.rest.resource.IdSpelling;
import org.restheart.rest.resource.Mounts.UriSpace;
import org.restheart.rest.resource.ResourcePath;

/// Lists and documents of the data API as HAL or SHAL, as requested.
public final class HalPages {
    private static final BsonDocument NONE = new BsonDocument();
    private static final KnownKeys RELATIONSHIP = KnownKeys.of("rel type role target-db target-coll ref-field");

    private HalPages() {}

    /// Documents, files or schemas of a collection.
    ///
    /// @param size number of elements on all pages, if counted
    public static DocumentFormat collection(DataRequest request, OptionalLong size, JudgedRequests judged) {
        var kind = request.path().kind();
        var properties = request.resource().properties().map(stored -> Links.permitted(request, stored, judged));
        var head = new Head(request)
                .properties(request.path().requireCollection(), properties)
                .type(kind.name())
                .size(size);
        var links = links(request, full -> full.addSelf(request, size).addCollection(request));
        properties.ifPresent(shown -> links.addDeclared(request, shown));
        var relation = switch (kind) {
            case FILES_BUCKET -> "rh:file";
            case SCHEMA_STORE -> "rh:schema";
            default -> "rh:doc";
        };
        var represent = HalDocument.childrenOf(request);
        return new HalPage(head.members, NONE, links, _ -> relation, represent).format(request.parameters());
    }

    /// Collections of a database, each a document of its name as `_id` and its properties: those of
    /// one kind together.
    public static DocumentFormat database(DataRequest request, long size) {
        var head = new Head(request)
                .properties(request.path().requireDb(), request.resource().properties())
                .type("DB")
                .size(OptionalLong.of(size));
        var links = links(
                request, full -> full.addSelf(request, OptionalLong.of(size)).addDatabase(request));
        return new HalPage(
                        head.members,
                        NONE,
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
        var links = links(
                request, full -> full.addSelf(request, OptionalLong.of(size)).addRoot(request));
        return new HalPage(head.members, NONE, links, _ -> "rh:db", child -> named(request, child, "DB"))
                .format(request.parameters());
    }

    public static DocumentFormat indexes(DataRequest request, int size) {
        var head = new Head(request).type("COLLECTION_INDEXES").members.append("_size", new BsonInt32(size));
        var links = links(request, full -> full.addIndexes(request));
        return new HalPage(head, NONE, links, _ -> "rh:index", child -> typed(request, child, "INDEX"))
                .format(request.parameters());
    }

    public static DocumentFormat results(DataRequest request) {
        var none = new BsonDocument("_size", new BsonInt32(0));
        var links = links(request, full -> full.addAggregation(request));
        return new HalPage(new BsonDocument(), none, links, _ -> "rh:result", child -> child)
                .format(request.parameters());
    }

    private static Links links(DataRequest request, Consumer<Links> full) {
        var links = new Links();
        if (request.parameters().format().halFull()) {
            full.accept(links);
        }
        return links;
    }

    private static String name(BsonDocument child) {
        return child.getString("_id").getValue();
    }

    private static BsonDocument named(DataRequest request, BsonDocument child, String type) {
        if (!request.grant().allows(Privilege.MANAGEMENT)) {
            child.keySet().removeAll(Head.DEFINITIONS);
        }
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
        var hal = HalDocument.of(request);
        var represented = DocumentFormat.ownedTrees(
                        request.http().lease(), each -> hal.represent(each, Optional.of(request.selfPath())))
                .apply(document);
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
                var relationship = Relationship.parse(rel, "");
                warnings.addAll(RELATIONSHIP.warnings("rels: " + relationship.name(), rel.asDocument()));
                var field = relationship.field();
                if (relationship.owning() && !field.isPattern() && field.text().contains(".")) {
                    warnings.add("rels: " + relationship.name() + ": ref-field " + field.text()
                            + " is one name with a dot; a path is written $." + field.text());
                }
            } catch (InvalidRelationship e) {
                warnings.add("documents will have a warning in place of a link: " + e.getMessage());
            }
        }
        return warnings;
    }

    /// The top-level members of a list besides its links and children: stored properties, type and size.
    /// Confined to one request.
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

        /// The properties stored with a resource, unless the client excludes them. A caller with hidden
        /// fields sees no definitions, since their text may name hidden fields; `_meta` refuses them as well.
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

    /// A document, file or schema in HAL, with its links. Immutable.
    ///
    /// @param kind `DOCUMENT`, `FILE` or `SCHEMA`
    /// @param parent the path of its collection, if it is mounted
    private record HalDocument(ResourceKind kind, boolean full, Relationships relationships, Optional<String> parent) {

        static HalDocument of(DataRequest request) {
            return new HalDocument(
                    request.path().kind(),
                    request.parameters().format().halFull(),
                    Relationships.of(request),
                    Links.parent(request));
        }

        static UnaryOperator<BsonDocument> childrenOf(DataRequest request) {
            var kind = switch (request.path().kind()) {
                case FILES_BUCKET -> ResourceKind.FILE;
                case SCHEMA_STORE -> ResourceKind.SCHEMA;
                default -> ResourceKind.DOCUMENT;
            };
            var child = new HalDocument(
                    kind, request.parameters().format().halFull(), Relationships.of(request), Optional.empty());
            var uri = RequestUri.of(request);
            return DocumentFormat.ownedTrees(
                    request.http().lease(),
                    document -> child.represent(
                            document,
                            Optional.ofNullable(document.get("_id"))
                                    .flatMap(IdSpelling::of)
                                    .map(spelling -> uri.below(withoutQuery(spelling)))));
        }

        /// @param path the document's own, without `id_type`; empty if it cannot be addressed
        BsonDocument represent(BsonDocument document, Optional<String> path) {
            var tree = tree(document);
            var links = new Links();
            var idType = Optional.ofNullable(document.get("_id"))
                    .flatMap(IdSpelling::of)
                    .map(HalDocument::queryOf)
                    .orElse("");
            if (full) {
                tree.append("_type", new BsonString(kind.name()));
                updatedOn(document).ifPresent(time -> tree.append("_lastupdated_on", new BsonString(time)));
                path.ifPresent(p -> links.add("self", p + idType));
                parent.ifPresent(collection -> addParent(links, collection));
            }
            if (kind == ResourceKind.FILE) {
                path.ifPresent(p -> links.add("rh:data", RequestUri.below(p, "binary") + idType));
            }
            relationships.addTo(tree, document, links);
            if (!links.isEmpty()) {
                merge(tree, links);
            }
            return tree;
        }

        /// A mutable copy.
        private static BsonDocument tree(BsonDocument document) {
            if (document instanceof RawBsonDocument raw) {
                return RawDocuments.toTree(raw);
            }
            var copy = new BsonDocument();
            copy.putAll(document);
            return copy;
        }

        private void addParent(Links links, String collection) {
            switch (kind) {
                case FILE ->
                    links.add("rh:bucket", collection)
                            .addTemplate("rh:file", RequestUri.below(collection, "{fileid}{?id_type}"));
                case SCHEMA ->
                    links.add("rh:schema-store", collection)
                            .addTemplate("rh:schema", RequestUri.below(collection, "{schemaid}{?id_type}"));
                default ->
                    links.add("rh:coll", collection)
                            .addTemplate("rh:document", RequestUri.below(collection, "{docid}{?id_type}"));
            }
        }

        /// ObjectIds begin with the second of their creation.
        private Optional<String> updatedOn(BsonDocument document) {
            var holder = kind == ResourceKind.FILE ? document.get("metadata") : document;
            if (holder == null || !holder.isDocument()) {
                return Optional.empty();
            }
            var etag = holder.asDocument().get(EntityTags.FIELD);
            return etag != null && etag.isObjectId()
                    ? Optional.of(Instant.ofEpochSecond(Integer.toUnsignedLong(
                                    etag.asObjectId().getValue().getTimestamp()))
                            .toString())
                    : Optional.empty();
        }

        /// Links that are stored in the document are kept, unless the gateway adds one of the same relation.
        private static void merge(BsonDocument tree, Links links) {
            var stored = tree.get(Links.MEMBER);
            if (stored != null && stored.isDocument()) {
                stored.asDocument().putAll(links.toDocument());
            } else {
                tree.append(Links.MEMBER, links.toDocument());
            }
        }

        private static String withoutQuery(String spelling) {
            int question = spelling.indexOf('?');
            return question < 0 ? spelling : spelling.substring(0, question);
        }

        private static String queryOf(String spelling) {
            int question = spelling.indexOf('?');
            return question < 0 ? "" : spelling.substring(question);
        }

        /// The links between documents that a collection declares in its property `rels`. An invalid
        /// declaration, or one that a document does not match, becomes a warning in that document. Immutable.
        ///
        /// @param declared the valid declarations
        /// @param mistakes the errors of the other declarations
        private record Relationships(List<Relationship> declared, List<String> mistakes, UriSpace uriSpace) {

            static Relationships of(DataRequest request) {
                var declared = new ArrayList<Relationship>();
                var mistakes = new ArrayList<String>();
                Relationship.all(request, declared::add, mistakes::add);
                return new Relationships(declared, mistakes, request.uriSpace());
            }

            /// @param document the visible part of the stored document
            void addTo(BsonDocument tree, BsonDocument document, Links links) {
                var warnings = new ArrayList<>(mistakes);
                for (var relationship : declared) {
                    try {
                        href(relationship, document).ifPresent(href -> links.add(relationship.name(), href));
                    } catch (InvalidRelationship e) {
                        warnings.add(e.getMessage());
                    }
                }
                if (!warnings.isEmpty()) {
                    embedded(tree).append("rh:warnings", warnings(warnings));
                }
            }

            /// With what a request has embedded, if there is any.
            private static BsonDocument embedded(BsonDocument tree) {
                var embedded = tree.get("_embedded") instanceof BsonDocument before ? before : new BsonDocument();
                tree.append("_embedded", embedded);
                return embedded;
            }

            private Optional<String> href(Relationship relationship, BsonDocument document) {
                var collection = uriSpace.pathOf(relationship.targetDb(), relationship.targetCollection())
                        .orElseThrow(() -> new InvalidRelationship("relationship '" + relationship.name()
                                + "' leads to a collection that is not exposed"));
                return relationship.reference(document).map(reference -> collection + reference);
            }

            private static BsonValue warnings(List<String> messages) {
                var warnings = new BsonArray();
                for (var message : messages) {
                    warnings.add(new BsonDocument("message", new BsonString(message))
                            .append(
                                    Links.MEMBER,
                                    new Links().add("self", "#warnings").toDocument()));
                }
                return warnings;
            }
        }
    }

    /// A list that is written as HAL or SHAL while its children are read.
    ///
    /// @param head members at the top level
    /// @param ifNone further members when there are no children
    /// @param links of the list itself
    /// @param relation of a child to the list; children of one relation are consecutive
    /// @param represent converts a document to a child
    private record HalPage(
            BsonDocument head,
            BsonDocument ifNone,
            Links links,
            Function<BsonDocument, String> relation,
            UnaryOperator<BsonDocument> represent) {
        static final String MEDIA_TYPE = "application/hal+json";

        DocumentFormat format(Parameters parameters) {
            var out = new Members(JsonEncoder.of(parameters.format().jsonMode()));
            return parameters.format().representation() == Representation.SHAL
                    ? new ShalFormat(this, out, parameters.format().noProperties())
                    : new HalFormat(this, out);
        }

        /// Writes a list as HAL: its children in `_embedded`, by relation.
        private static final class HalFormat implements DocumentFormat {
            private final HalPage page;
            private final Members members;
            private String relation = "";

            HalFormat(HalPage page, Members members) {
                this.page = page;
                this.members = members;
            }

            @Override
            public String mediaType() {
                return HalPage.MEDIA_TYPE;
            }

            @Override
            public void begin(Utf8Buffer out) {
                out.put((byte) '{');
                members.members(page.head(), out);
            }

            @Override
            public void document(BsonDocument document, long index, Utf8Buffer out) {
                var its = page.relation().apply(document);
                if (index == 0) {
                    members.name("_embedded", out);
                    out.ascii("{\"" + its + "\": [");
                } else {
                    out.ascii(its.equals(relation) ? ", " : "], \"" + its + "\": [");
                }
                relation = its;
                members.value(page.represent().apply(document), out);
            }

            @Override
            public void end(long count, Utf8Buffer out) {
                if (count > 0) {
                    out.ascii("]}");
                } else {
                    members.members(page.ifNone(), out);
                }
                members.member("_returned", count, out);
                if (!page.links().isEmpty()) {
                    members.member(Links.MEMBER, page.links().toDocument(), out);
                }
                out.put((byte) '}');
            }
        }

        /// Writes a list as SHAL: all children in one array, no links of the list itself; without its
        /// properties only the array.
        private record ShalFormat(HalPage page, Members members, boolean onlyChildren) implements DocumentFormat {
            @Override
            public String mediaType() {
                return HalPage.MEDIA_TYPE;
            }

            @Override
            public void begin(Utf8Buffer out) {
                if (!onlyChildren) {
                    out.put((byte) '{');
                    members.members(page.head(), out);
                    members.name("_embedded", out);
                }
                out.put((byte) '[');
            }

            @Override
            public void document(BsonDocument document, long index, Utf8Buffer out) {
                if (index > 0) {
                    out.ascii(", ");
                }
                members.value(page.represent().apply(document), out);
            }

            @Override
            public void end(long count, Utf8Buffer out) {
                out.put((byte) ']');
                if (!onlyChildren) {
                    if (count == 0) {
                        members.members(page.ifNone(), out);
                    }
                    members.member("_returned", count, out);
                    out.put((byte) '}');
                }
            }
        }

        /// Writes an object's members incrementally, since not all of them are known when the first is
        /// written. Confined to one result.
        private static final class Members {
            private final JsonEncoder encoder;
            private boolean first = true;

            Members(JsonEncoder encoder) {
                this.encoder = encoder;
            }

            void name(String name, Utf8Buffer out) {
                if (!first) {
                    out.ascii(", ");
                }
                first = false;
                encoder.encode(new BsonString(name), out);
                out.ascii(": ");
            }

            void member(String name, BsonValue value, Utf8Buffer out) {
                name(name, out);
                value(value, out);
            }

            void member(String name, long value, Utf8Buffer out) {
                member(name, new BsonInt64(value), out);
            }

            void members(BsonDocument document, Utf8Buffer out) {
                document.forEach((name, value) -> member(name, value, out));
            }

            void value(BsonValue value, Utf8Buffer out) {
                encoder.encode(value, out);
            }
        }
    }
}
