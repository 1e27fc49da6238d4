package org.restheart.mongo.validator;

import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;

/// A schema in MongoDB's dialect that is a bound of another schema: of two directions, see [Bound]. Immutable by
/// agreement.
///
/// @param exact whether it admits the same values
record Part(BsonDocument schema, boolean exact) {
    /// Admits everything.
    static final Part ANY = new Part(new BsonDocument(), true);

    private static final BsonDocument NOTHING = new BsonDocument("not", new BsonDocument());

    /// Which values a translation may differ in. Below `not` the direction turns.
    enum Bound {
        /// Admits all values that the schema admits.
        UPPER,
        /// Admits only values that the schema admits.
        LOWER;

        Bound opposite() {
            return this == UPPER ? LOWER : UPPER;
        }
    }

    static Part exact(BsonDocument schema) {
        return new Part(schema, true);
    }

    static Part nothing() {
        return exact(NOTHING);
    }

    /// In place of something that cannot be expressed.
    static Part unknown(Bound bound) {
        return new Part(bound == Bound.UPPER ? new BsonDocument() : NOTHING, false);
    }

    Part inexact() {
        return new Part(schema, false);
    }

    boolean admitsAll() {
        return schema.isEmpty();
    }

    static Part not(Part part) {
        return new Part(new BsonDocument("not", part.schema), part.exact);
    }

    static Part anyOf(List<Part> parts) {
        if (parts.stream().anyMatch(Part::admitsAll)) {
            return new Part(new BsonDocument(), parts.stream().allMatch(Part::exact));
        }
        return several("anyOf", parts);
    }

    static Part several(String keyword, List<Part> parts) {
        return new Part(
                new BsonDocument(
                        keyword, new BsonArray(parts.stream().map(Part::schema).toList())),
                parts.stream().allMatch(Part::exact));
    }

    /// All of them, in one schema where their keywords differ.
    ///
    /// @param groups keywords of one schema; those that depend on each other are in one part
    /// @param others other schemas
    static Part allOf(List<Part> groups, List<Part> others) {
        var merged = new BsonDocument();
        var all = new BsonArray();
        for (var part : groups) {
            if (part.schema.keySet().stream().noneMatch(key -> key.equals("allOf") || merged.containsKey(key))) {
                merged.putAll(part.schema);
            } else {
                all.add(part.schema);
            }
        }
        others.stream().filter(part -> !part.admitsAll()).map(Part::schema).forEach(all::add);
        if (!all.isEmpty()) {
            merged.append("allOf", all);
        }
        return new Part(merged, Stream.concat(groups.stream(), others.stream()).allMatch(Part::exact));
    }

    /// `bsonType` with these names.
    static BsonDocument types(List<String> names) {
        return new BsonDocument(
                "bsonType", names.size() == 1 ? new BsonString(names.getFirst()) : BsonTexts.array(names));
    }
}
