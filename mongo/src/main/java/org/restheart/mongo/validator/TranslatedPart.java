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
record TranslatedPart(BsonDocument schema, boolean exact) {
    /// Admits everything.
    static final TranslatedPart ANY = new TranslatedPart(new BsonDocument(), true);

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

    static TranslatedPart exact(BsonDocument schema) {
        return new TranslatedPart(schema, true);
    }

    static TranslatedPart nothing() {
        return exact(NOTHING);
    }

    /// In place of something that cannot be expressed.
    static TranslatedPart unknown(Bound bound) {
        return new TranslatedPart(bound == Bound.UPPER ? new BsonDocument() : NOTHING, false);
    }

    TranslatedPart inexact() {
        return new TranslatedPart(schema, false);
    }

    boolean admitsAll() {
        return schema.isEmpty();
    }

    static TranslatedPart not(TranslatedPart part) {
        return new TranslatedPart(new BsonDocument("not", part.schema), part.exact);
    }

    static TranslatedPart anyOf(List<TranslatedPart> parts) {
        if (parts.stream().anyMatch(TranslatedPart::admitsAll)) {
            return new TranslatedPart(new BsonDocument(), parts.stream().allMatch(TranslatedPart::exact));
        }
        return several("anyOf", parts);
    }

    static TranslatedPart several(String keyword, List<TranslatedPart> parts) {
        return new TranslatedPart(
                new BsonDocument(
                        keyword,
                        new BsonArray(parts.stream().map(TranslatedPart::schema).toList())),
                parts.stream().allMatch(TranslatedPart::exact));
    }

    /// All of them, in one schema where their keywords differ.
    ///
    /// @param groups keywords of one schema; those that depend on each other are in one part
    /// @param others other schemas
    static TranslatedPart allOf(List<TranslatedPart> groups, List<TranslatedPart> others) {
        var merged = new BsonDocument();
        var all = new BsonArray();
        for (var part : groups) {
            if (part.schema.keySet().stream().noneMatch(key -> key.equals("allOf") || merged.containsKey(key))) {
                merged.putAll(part.schema);
            } else {
                all.add(part.schema);
            }
        }
        others.stream()
                .filter(part -> !part.admitsAll())
                .map(TranslatedPart::schema)
                .forEach(all::add);
        if (!all.isEmpty()) {
            merged.append("allOf", all);
        }
        return new TranslatedPart(
                merged, Stream.concat(groups.stream(), others.stream()).allMatch(TranslatedPart::exact));
    }

    /// `bsonType` with these names.
    static BsonDocument types(List<String> names) {
        return new BsonDocument(
                "bsonType", names.size() == 1 ? new BsonString(names.getFirst()) : BsonTexts.array(names));
    }
}
