package org.restheart.mongo.validator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.mongo.validator.SchemaPlace.Draft;
import org.restheart.mongo.validator.TranslatedPart.Bound;

/// Keywords about objects. Those about documents of the collection are loosened, since a stored document has `_id` and
/// `_etag`, while the gateway checks inserted ones before it adds them. Confined to one translation.
record ObjectKeywords(SchemaTranslator translator, BsonDocument schema, SchemaPlace place, Bound bound) {
    private static final String ID = "_id";
    private static final Set<String> ADDED = Set.of(ID, "_etag");

    TranslatedPart translate() {
        var parts = new ArrayList<TranslatedPart>();
        var names = schema.get("required") instanceof BsonArray required ? required : new BsonArray();
        if (!names.isEmpty()) {
            parts.add(required(names));
        }
        parts.add(properties());
        count(parts, "minProperties", 0);
        count(parts, "maxProperties", ADDED.size());
        boolean split = place.draft().isSince(Draft.V2019);
        dependencies(parts, split ? List.of("dependentRequired", "dependentSchemas") : List.of("dependencies"));
        return TranslatedPart.allOf(parts, List.of());
    }

    /// Whether a keyword's outcome for the stored document may differ from that for the document that the
    /// gateway checked.
    private boolean differs(boolean concernsAdded) {
        return place.whole() && concernsAdded;
    }

    /// A demand that is loosened for the fields added by the gateway; below `not`, where a looser demand
    /// would admit less, it is left out.
    private TranslatedPart loosened(BsonDocument demand) {
        return bound == Bound.UPPER ? new TranslatedPart(demand, false) : TranslatedPart.unknown(bound);
    }

    private static boolean isAdded(String name) {
        return ADDED.contains(name);
    }

    private static boolean isUsable(String name) {
        return !name.isEmpty() && name.indexOf('.') < 0 && !name.startsWith("$");
    }

    private TranslatedPart required(BsonArray required) {
        var names = new BsonArray();
        boolean loosened = false;
        for (var value : required) {
            var name = value instanceof BsonString text ? text.getValue() : "";
            if (!isUsable(name)) {
                var unknown = leaveOutName("required", name);
                if (bound == Bound.LOWER && !unknown.exact()) {
                    return unknown;
                }
                loosened |= !unknown.exact();
            } else if (differs(isAdded(name))) {
                loosened = true;
                if (name.equals(ID)) {
                    names.add(value);
                }
            } else if (!names.contains(value)) {
                names.add(value);
            }
        }
        var demand = names.isEmpty() ? new BsonDocument() : new BsonDocument("required", names);
        return loosened ? loosened(demand) : TranslatedPart.exact(demand);
    }

    /// Keys of extended types are known to [ExtendedTypes]; documents with such fields exist hardly anywhere.
    private TranslatedPart leaveOutName(String keyword, String name) {
        if (name.startsWith("$")) {
            return ExtendedTypes.demandsKey(schema) ? TranslatedPart.ANY : TranslatedPart.unknown(bound);
        }
        return translator.leaveOut(place, keyword, "the field '" + name + "'", bound);
    }

    private TranslatedPart properties() {
        var parts = new ArrayList<TranslatedPart>();
        var properties = named(parts);
        var patterns = patterns(parts);
        var additional = schema.get("additionalProperties");
        boolean open = BsonBoolean.TRUE.equals(additional);
        if (additional != null && !open && patterns.isPresent()) {
            var rest = translator.part(additional, place.inside("additionalProperties"), bound);
            parts.add(rest);
            if (place.whole()) {
                ADDED.stream().sorted().forEach(name -> properties.putIfAbsent(name, new BsonDocument()));
                parts.add(bound == Bound.UPPER ? TranslatedPart.ANY : TranslatedPart.unknown(bound));
            }
            var closed = new BsonDocument(
                    "additionalProperties",
                    rest.schema().equals(TranslatedPart.nothing().schema()) ? BsonBoolean.FALSE : rest.schema());
            return result(properties, patterns.get(), closed, parts);
        }
        return result(properties, patterns.orElseGet(BsonDocument::new), new BsonDocument(), parts);
    }

    private TranslatedPart result(
            BsonDocument properties, BsonDocument patterns, BsonDocument more, List<TranslatedPart> parts) {
        boolean exact = parts.stream().allMatch(TranslatedPart::exact);
        if (!exact && bound == Bound.LOWER && parts.stream().anyMatch(ObjectKeywords::isUnknown)) {
            return TranslatedPart.unknown(bound);
        }
        var demand = new BsonDocument();
        if (!properties.isEmpty()) {
            demand.append("properties", properties);
        }
        if (!patterns.isEmpty()) {
            demand.append("patternProperties", patterns);
        }
        demand.putAll(more);
        return new TranslatedPart(demand, exact);
    }

    private static boolean isUnknown(TranslatedPart part) {
        return !part.exact() && part.schema().equals(TranslatedPart.nothing().schema());
    }

    /// The fields that are named, those that MongoDB cannot address without demands.
    ///
    /// @param parts takes what the fields are translated to
    private BsonDocument named(List<TranslatedPart> parts) {
        var translated = new BsonDocument();
        if (!(schema.get("properties") instanceof BsonDocument properties)) {
            return translated;
        }
        properties.forEach((name, value) -> {
            var part = isUsable(name) ? field(name, value) : TranslatedPart.ANY;
            if (!isUsable(name) && !isAnything(value)) {
                part = leaveOutName("properties", name);
            }
            parts.add(part);
            if (name.startsWith("$") && ExtendedTypes.demandsKey(schema)) {
                return;
            }
            translated.append(name, bound == Bound.UPPER && !isUsable(name) ? new BsonDocument() : part.schema());
        });
        return translated;
    }

    private static boolean isAnything(BsonValue schema) {
        return (schema instanceof BsonDocument demands && demands.isEmpty()) || BsonBoolean.TRUE.equals(schema);
    }

    private TranslatedPart field(String name, BsonValue value) {
        if (differs(isAdded(name)) && !isAnything(value)) {
            boolean sent = name.equals(ID)
                    && schema.get("required") instanceof BsonArray required
                    && required.contains(new BsonString(ID));
            return sent && bound == Bound.UPPER
                    ? translator
                            .part(value, place.inside("properties/" + name), bound)
                            .inexact()
                    : TranslatedPart.unknown(bound);
        }
        return translator.part(value, place.inside("properties/" + name), bound);
    }

    /// Fields by patterns of their names; empty if there are some that MongoDB would read otherwise.
    private Optional<BsonDocument> patterns(List<TranslatedPart> parts) {
        var translated = new BsonDocument();
        boolean complete = true;
        if (schema.get("patternProperties") instanceof BsonDocument patterns) {
            for (var entry : patterns.entrySet()) {
                var portable = PortablePattern.ofNames(entry.getKey());
                if (portable.isEmpty() || differs(mayConcernAdded(entry.getKey()))) {
                    complete = false;
                    parts.add(translator.leaveOut(
                            place, "patternProperties", "for the pattern " + entry.getKey(), bound));
                } else {
                    var part = translator.part(
                            entry.getValue(), place.inside("patternProperties/" + entry.getKey()), bound);
                    parts.add(part);
                    translated.append(portable.get(), part.schema());
                }
            }
        }
        return complete ? Optional.of(translated) : Optional.empty();
    }

    private static boolean mayConcernAdded(String pattern) {
        var compiled = Pattern.compile(pattern);
        return ADDED.stream().anyMatch(name -> compiled.matcher(name).find());
    }

    private void count(List<TranslatedPart> parts, String keyword, int added) {
        if (schema.get(keyword) instanceof BsonNumber count) {
            parts.add(
                    place.whole()
                            ? loosened(new BsonDocument(keyword, ValueKeywords.count(count, added)))
                            : TranslatedPart.exact(new BsonDocument(keyword, ValueKeywords.count(count, 0))));
        }
    }

    private void dependencies(List<TranslatedPart> parts, List<String> keywords) {
        var translated = new BsonDocument();
        boolean exact = true;
        for (var keyword : keywords) {
            if (!(schema.get(keyword) instanceof BsonDocument dependencies)) {
                continue;
            }
            for (var entry : dependencies.entrySet()) {
                var name = entry.getKey();
                var part = isUsable(name) && !differs(isAdded(name))
                        ? dependency(keyword, name, entry.getValue())
                        : leaveOutName(keyword, name);
                exact &= part.exact();
                parts.add(new TranslatedPart(new BsonDocument(), part.exact()));
                if (!part.admitsAll()) {
                    translated.append(name, part.schema());
                }
            }
        }
        if (!translated.isEmpty()) {
            parts.add(new TranslatedPart(new BsonDocument("dependencies", translated), exact));
        }
    }

    private TranslatedPart dependency(String keyword, String name, BsonValue value) {
        if (value instanceof BsonArray names) {
            var asSchema = new BsonDocument("required", names);
            return names.isEmpty()
                    ? TranslatedPart.ANY
                    : new ObjectKeywords(translator, asSchema, place.at(keyword + "/" + name), bound).translate();
        }
        return translator.part(value, place.at(keyword + "/" + name), bound);
    }
}
