package org.restheart.mongo.validator;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.validator.SchemaPlace.Draft;
import org.restheart.mongo.validator.TranslatedPart.Bound;

/// Keywords about arrays. Confined to one translation.
record ArrayKeywords(SchemaTranslator translator, BsonDocument schema, SchemaPlace place, Bound bound) {
    /// Types whose values MongoDB and the gateway take for equal in the same cases.
    private static final List<String> COMPARABLE = List.of("string", "int", "long", "bool", "null", "objectId", "date");

    TranslatedPart translate() {
        var groups = new ArrayList<TranslatedPart>();
        groups.add(items());
        for (var keyword : List.of("minItems", "maxItems")) {
            if (schema.get(keyword) instanceof BsonNumber count) {
                groups.add(TranslatedPart.exact(new BsonDocument(keyword, ScalarKeywords.count(count, 0))));
            }
        }
        var others = new ArrayList<TranslatedPart>();
        if (BsonBoolean.TRUE.equals(schema.get("uniqueItems"))) {
            others.add(unique());
        }
        if (schema.containsKey("contains") && place.draft().isSince(Draft.V6)) {
            others.add(contains(schema.get("contains")));
        }
        return TranslatedPart.allOf(groups, others);
    }

    /// The last draft has `prefixItems` and `items` for what the others call `items` and `additionalItems`.
    private TranslatedPart items() {
        boolean renamed = place.draft().isSince(Draft.V2020);
        var firstName = renamed ? "prefixItems" : "items";
        var restName = renamed ? "items" : "additionalItems";
        if (!(schema.get(firstName) instanceof BsonArray first)) {
            return schema.containsKey("items") ? each(schema.get("items")) : TranslatedPart.ANY;
        }
        var parts = new ArrayList<TranslatedPart>();
        for (int i = 0; i < first.size(); i++) {
            parts.add(translator.part(first.get(i), place.inside(firstName + "/" + i), bound));
        }
        boolean exact = parts.stream().allMatch(TranslatedPart::exact);
        var translated = new BsonDocument(
                "items",
                new BsonArray(parts.stream().map(TranslatedPart::schema).toList()));
        if (schema.containsKey(restName)) {
            var rest = translator.part(schema.get(restName), place.inside(restName), bound);
            exact &= rest.exact();
            translated.append("additionalItems", rest.schema());
        }
        return new TranslatedPart(translated, exact);
    }

    private TranslatedPart each(BsonValue items) {
        var part = translator.part(items, place.inside("items"), bound);
        return new TranslatedPart(new BsonDocument("items", part.schema()), part.exact());
    }

    /// To the gateway `1` and `1.0` differ, and decimals are objects.
    private TranslatedPart unique() {
        var demand = new BsonDocument("uniqueItems", BsonBoolean.TRUE);
        if (isComparable(schema.get("items"))) {
            return TranslatedPart.exact(demand);
        }
        var comparable = new BsonDocument("items", TranslatedPart.types(COMPARABLE));
        var unknown = translator.leaveOut(
                place, "uniqueItems", "for arrays with other elements than strings, integers and the like", bound);
        return bound == Bound.UPPER
                ? TranslatedPart.anyOf(List.of(
                                TranslatedPart.exact(demand),
                                TranslatedPart.exact(new BsonDocument("not", comparable))))
                        .inexact()
                : unknown;
    }

    private boolean isComparable(@Nullable BsonValue items) {
        if (!(items instanceof BsonDocument each) || each.containsKey("$ref")) {
            return false;
        }
        var names = TypeKeywords.names(each);
        return !names.isEmpty()
                && names.stream().allMatch(name -> switch (name) {
                    case "string", "boolean", "null" -> true;
                    case "integer" -> !place.draft().isSince(Draft.V6); // else 1.0 is one
                    default -> false;
                });
    }

    private TranslatedPart contains(BsonValue contained) {
        if (schema.containsKey("minContains") || schema.containsKey("maxContains")) {
            return translator.leaveOut(place, "contains", "with minContains or maxContains", bound);
        }
        var part = translator.part(contained, place.inside("contains"), bound);
        var none = new BsonDocument("items", TranslatedPart.not(part).schema());
        return new TranslatedPart(
                TranslatedPart.anyOf(List.of(
                                TranslatedPart.exact(new BsonDocument("not", TranslatedPart.types(List.of("array")))),
                                TranslatedPart.exact(new BsonDocument("not", none))))
                        .schema(),
                part.exact());
    }
}
