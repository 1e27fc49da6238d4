package org.restheart.mongo.validator;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.mongo.validator.SchemaPlace.Draft;
import org.restheart.mongo.validator.TranslatedPart.Bound;

/// `type`: JSON's types as those of BSON.
final class TypeKeywords {
    static final List<String> NUMBERS = List.of("int", "long", "double");

    private TypeKeywords() {}

    /// The names of a schema's types; empty for any.
    static Set<String> names(BsonDocument schema) {
        var names = new LinkedHashSet<String>();
        switch (schema.get("type")) {
            case BsonString one -> names.add(one.getValue());
            case BsonArray several ->
                several.stream()
                        .filter(BsonValue::isString)
                        .forEach(name -> names.add(name.asString().getValue()));
            case null, default -> {}
        }
        return names;
    }

    static TranslatedPart translate(BsonDocument schema, SchemaPlace place, Bound bound) {
        var names = names(schema);
        var refused = new ArrayList<>(ExtendedTypes.refused(schema, bound));
        if (ExtendedTypes.demandsKey(schema)) {
            refused.add("object");
        }
        boolean exact = place.whole() || ExtendedTypes.isKnown(schema);
        if (names.isEmpty()) {
            if (place.whole()) {
                refused.removeAll(ExtendedTypes.names());
            }
            return refused.isEmpty()
                    ? new TranslatedPart(new BsonDocument(), exact)
                    : new TranslatedPart(new BsonDocument("not", TranslatedPart.types(refused)), exact);
        }
        var types = new ArrayList<String>();
        for (var name : names) {
            switch (name) {
                case "object" -> {
                    types.add("object");
                    if (!place.whole()) {
                        types.addAll(ExtendedTypes.names());
                    }
                    types.removeAll(refused);
                }
                case "boolean" -> types.add("bool");
                case "number" -> types.addAll(NUMBERS);
                case "integer" -> types.addAll(List.of("int", "long"));
                default -> types.add(name);
            }
        }
        if (types.isEmpty()) {
            return new TranslatedPart(TranslatedPart.nothing().schema(), exact);
        }
        var plain = new TranslatedPart(
                TranslatedPart.types(types.stream().distinct().toList()), exact);
        return names.contains("integer")
                        && !names.contains("number")
                        && place.draft().isSince(Draft.V6)
                ? TranslatedPart.anyOf(List.of(plain, wholeDouble()))
                : plain;
    }

    /// Later drafts count `1.0` among the integers.
    private static TranslatedPart wholeDouble() {
        return TranslatedPart.exact(TranslatedPart.types(List.of("double")).append("multipleOf", new BsonInt32(1)));
    }
}
