package org.restheart.mongo.hal;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonValue;
import org.restheart.mongo.hal.Relationship.InvalidRelationship;
import org.restheart.mongo.metadata.EntryKeys;

/// The property `rels` of a collection as it is written.
public final class RelationshipDefinitions {
    private static final EntryKeys KEYS = EntryKeys.of("rel", "type", "role", "target-db", "target-coll", "ref-field");

    private RelationshipDefinitions() {}

    /// What is wrong with the relationships, each of which documents would be shown with instead of a link.
    ///
    /// @param rels the property's value
    public static List<String> warnings(BsonValue rels) {
        if (!(rels instanceof BsonArray all)) {
            return List.of("no document will have links: wrong 'rels': not an array of objects");
        }
        var warnings = new ArrayList<String>();
        for (var rel : all) {
            try {
                warnings.addAll(
                        KEYS.warnings("rels: " + Relationship.parse(rel, "").name(), rel.asDocument()));
            } catch (InvalidRelationship e) {
                warnings.add("documents will have a warning in place of a link: " + e.getMessage());
            }
        }
        return warnings;
    }
}
