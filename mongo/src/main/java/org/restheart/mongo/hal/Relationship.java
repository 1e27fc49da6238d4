package org.restheart.mongo.hal;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.restheart.mongo.resource.IdSpelling;

/// One element of a collection's `rels`: documents of this collection refer to documents of the target (`OWNING`),
/// or vice versa (`INVERSE`). Immutable.
///
/// @param name the link's relation
record Relationship(
        String name, Type type, boolean owning, String targetDb, String targetCollection, ReferencePath field) {

    private static final Set<String> ROLES = Set.of("OWNING", "INVERSE");

    /// The cardinality on this side and on that of the target.
    enum Type {
        ONE_TO_ONE,
        ONE_TO_MANY,
        MANY_TO_ONE,
        MANY_TO_MANY;

        boolean fromOne() {
            return this == ONE_TO_ONE || this == ONE_TO_MANY;
        }

        boolean toOne() {
            return this == ONE_TO_ONE || this == MANY_TO_ONE;
        }
    }

    /// @param db the default database of the target
    /// @throws InvalidRelationship if the definition is wrong
    static Relationship parse(BsonValue definition, String db) {
        if (!definition.isDocument()) {
            throw new InvalidRelationship("wrong 'rels': an element is not an object");
        }
        var fields = definition.asDocument();
        var role = text(fields, "role").toUpperCase(Locale.ROOT);
        if (!ROLES.contains(role)) {
            throw new InvalidRelationship("wrong 'rels': role must be OWNING or INVERSE");
        }
        return new Relationship(
                text(fields, "rel"),
                type(text(fields, "type")),
                role.equals("OWNING"),
                fields.containsKey("target-db") ? text(fields, "target-db") : db,
                text(fields, "target-coll"),
                ReferencePath.parse(text(fields, "ref-field")));
    }

    private static String text(BsonDocument definition, String key) {
        var value = definition.get(key);
        if (value == null || !value.isString()) {
            throw new InvalidRelationship("wrong 'rels': " + key + " must be a string");
        }
        return value.asString().getValue();
    }

    private static Type type(String name) {
        try {
            return Type.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            throw new InvalidRelationship(
                    "wrong 'rels': type must be ONE_TO_ONE, ONE_TO_MANY, MANY_TO_ONE or MANY_TO_MANY");
        }
    }

    /// The suffix of the target collection's path in the link from a document; empty for no link.
    ///
    /// @throws InvalidRelationship if the document does not match the declaration
    Optional<String> reference(BsonDocument document) {
        if (!owning) {
            return Optional.of(query(field.plainName(), inverse(document.getOrDefault("_id", BsonNull.VALUE))));
        }
        return field.valueIn(document).map(type.toOne() ? this::toOne : this::toMany);
    }

    private BsonValue inverse(BsonValue id) {
        var equal = new BsonDocument("$eq", id);
        if (!type.fromOne()) {
            return new BsonDocument("$elemMatch", equal);
        }
        return id.isRegularExpression() ? equal : id;
    }

    private String toOne(BsonValue reference) {
        var id = field.isPattern() && reference.isArray() && reference.asArray().size() == 1
                ? reference.asArray().getFirst()
                : reference;
        return IdSpelling.of(id)
                .map(spelling -> "/" + spelling)
                .orElseThrow(() -> mismatch("holds no id that a path can name but " + id.getBsonType()));
    }

    private String toMany(BsonValue references) {
        if (!references.isArray()) {
            throw mismatch("must be an array but is " + references.getBsonType());
        }
        var ids = references.asArray().stream()
                .filter(reference -> !reference.isRegularExpression()) // would be a pattern, and no id is one
                .toList();
        return query("_id", new BsonDocument("$in", new BsonArray(ids)));
    }

    private static String query(String field, BsonValue condition) {
        return "?filter=" + CompactJson.of(new BsonDocument(field, condition));
    }

    private InvalidRelationship mismatch(String what) {
        return new InvalidRelationship("relationship '" + name + "': " + field.text() + " " + what);
    }
}
