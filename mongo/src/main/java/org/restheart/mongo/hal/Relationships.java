package org.restheart.mongo.hal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.resource.UriSpace;

/// The links between documents that a collection declares in its property `rels`. An invalid declaration, or one
/// that a document does not match, becomes a warning in that document. Immutable.
///
/// @param declared the valid declarations
/// @param mistakes the errors of the other declarations
record Relationships(List<Relationship> declared, List<String> mistakes, UriSpace uriSpace) {

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
                    .append(Links.MEMBER, new Links().add("self", "#warnings").toDocument()));
        }
        return warnings;
    }
}
