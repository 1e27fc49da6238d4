package org.restheart.mongo.hal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.exchange.EntityTags;
import org.restheart.mongo.hal.Links.RequestUri;
import org.restheart.mongo.hal.Relationship.InvalidRelationship;
import org.restheart.mongo.resource.IdSpelling;
import org.restheart.mongo.resource.Mounts.UriSpace;

/// A document, file or schema in HAL, with its links. Immutable.
///
/// @param kind `DOCUMENT`, `FILE` or `SCHEMA`
/// @param parent the path of its collection, if it is mounted
record HalDocument(ResourceKind kind, boolean full, Relationships relationships, Optional<String> parent) {

    /// For a single document.
    static HalDocument of(DataRequest request) {
        return new HalDocument(
                request.path().kind(),
                request.parameters().format().halFull(),
                Relationships.of(request),
                Links.parent(request));
    }

    /// For the children of a collection.
    static UnaryOperator<BsonDocument> childrenOf(DataRequest request) {
        var kind = switch (request.path().kind()) {
            case FILES_BUCKET -> ResourceKind.FILE;
            case SCHEMA_STORE -> ResourceKind.SCHEMA;
            default -> ResourceKind.DOCUMENT;
        };
        var child = new HalDocument(
                kind, request.parameters().format().halFull(), Relationships.of(request), Optional.empty());
        var uri = RequestUri.of(request);
        return document -> child.represent(
                document,
                Optional.ofNullable(document.get("_id"))
                        .flatMap(IdSpelling::of)
                        .map(spelling -> uri.below(withoutQuery(spelling))));
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

    /// The links between documents that a collection declares in its property `rels`. An invalid declaration, or one
    /// that a document does not match, becomes a warning in that document. Immutable.
    ///
    /// @param declared the valid declarations
    /// @param mistakes the errors of the other declarations
    private record Relationships(List<Relationship> declared, List<String> mistakes, UriSpace uriSpace) {

        static Relationships of(DataRequest request) {
            var declared = new ArrayList<Relationship>();
            var mistakes = new ArrayList<String>();
            request.resource().property("rels").ifPresent(rels -> {
                if (!rels.isArray()) {
                    mistakes.add("wrong 'rels': not an array of objects");
                    return;
                }
                for (var rel : rels.asArray()) {
                    try {
                        declared.add(Relationship.parse(rel, request.path().requireDb()));
                    } catch (InvalidRelationship e) {
                        mistakes.add(e.getMessage());
                    }
                }
            });
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
                tree.append("_embedded", new BsonDocument("rh:warnings", warnings(warnings)));
            }
        }

        private Optional<String> href(Relationship relationship, BsonDocument document) {
            var collection = uriSpace.pathOf(relationship.targetDb(), relationship.targetCollection())
                    .orElseThrow(() -> new InvalidRelationship(
                            "relationship '" + relationship.name() + "' leads to a collection that is not exposed"));
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
