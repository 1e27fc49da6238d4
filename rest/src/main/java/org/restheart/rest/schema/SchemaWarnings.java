package org.restheart.rest.schema;

import com.networknt.schema.SpecificationVersion;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.AnyName;
import org.restheart.bson.fields.Location;
import org.restheart.data.Operation.Write;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.access.DataTarget;
import org.restheart.text.Nearest;
import org.restheart.text.ShortText;
import org.restheart.text.Words;

/// Warnings about what a schema says without effect: misspelt keywords, unknown drafts. Such schemas are
/// valid.
public final class SchemaWarnings {
    private static final int MAX = 10;

    /// Characters of each name in a place.
    private static final int MAX_NAME = 100;

    private static final Set<String> OF_ONE = Words.of("""
        additionalItems additionalProperties contains contentSchema else if items not propertyNames then
        unevaluatedItems unevaluatedProperties
        """);
    private static final Set<String> OF_MANY = Set.of("allOf", "anyOf", "items", "oneOf", "prefixItems");
    private static final Set<String> OF_NAMED =
            Set.of("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties");
    private static final Set<String> OF_VALUES = Words.of("""
        $anchor $comment $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema $vocabulary
        const contentEncoding contentMediaType default dependentRequired deprecated description enum examples
        exclusiveMaximum exclusiveMinimum format id maxContains maxItems maxLength maxProperties maximum
        minContains minItems minLength minProperties minimum multipleOf pattern readOnly required title type
        uniqueItems writeOnly
        """);

    /// The keywords of all drafts.
    private static final Set<String> KEYWORDS = Stream.of(OF_ONE, OF_MANY, OF_NAMED, OF_VALUES)
            .flatMap(Set::stream)
            .collect(Collectors.toUnmodifiableSet());

    /// Keywords whose value is data, in which nothing is a reference.
    static final Set<String> OF_LITERALS = Set.of("const", "default", "enum", "examples", "example");

    /// The formats of all drafts. An unknown one has no effect.
    private static final Set<String> FORMATS = Words.of("""
        date date-time duration email hostname idn-email idn-hostname ipv4 ipv6 iri iri-reference json-pointer
        regex relative-json-pointer time uri uri-reference uri-template uuid
        """);

    /// The drafts in which a format is a mere annotation.
    private static final Set<SpecificationVersion> ANNOTATING =
            Set.of(SpecificationVersion.DRAFT_2019_09, SpecificationVersion.DRAFT_2020_12);

    /// Of the data API, and of OpenAPI.
    private static final Set<String> OTHERS = Set.of("_id", "_etag", "example");

    /// Of MongoDB's validators, whose authors know them by the name of JSON Schema.
    private static final Map<String, String> OF_MONGODB = Map.of(
            "bsonType",
            "it is one of MongoDB's validators; a JSON Schema has type, and its types are those of JSON",
            "$jsonSchema",
            "the schema is what would be within it");

    private SchemaWarnings() {}

    /// @param request that has been carried out; nothing is said about requests for other resources
    public static List<String> of(Request request) {
        var target = request.require(DataTarget.KEY);
        boolean writes = target.operation() == Write.INSERT || target.operation() == Write.REPLACE;
        if (!writes
                || !target.kind().isSchemas()
                || request.require(RequestContent.KEY).isUnread()) {
            return List.of();
        }
        var warnings = new LinkedHashSet<String>();
        if (request.require(RequestContent.KEY).value() instanceof BsonDocument schema) {
            addTo(warnings, SchemaForm.shown(schema));
        }
        return warnings.stream().limit(MAX).toList();
    }

    private static void addTo(Set<String> warnings, BsonDocument schema) {
        var draft = schema.get("$schema");
        if (draft != null
                && draft.isString()
                && !SchemaForm.isDraft(draft.asString().getValue())) {
            warnings.add("$schema names no known draft: the schema is one of draft-04");
        }
        keywords(warnings, schema, Location.of(""));
        if (ANNOTATING.contains(SchemaForm.version(schema)) && AnyName.in(schema, "format"::equals)) {
            warnings.add("format is not checked, as the draft has it: it only describes; the drafts 4 to 7 check it");
        }
        SchemaForm.OwnReferences.foreign(schema).stream()
                .limit(MAX)
                .map(uri -> "the schema refers to " + ShortText.of(uri, MAX_NAME)
                        + ", which is not loaded: schemas refer to those of this server only; writes of documents that"
                        + " it applies to will fail")
                .forEach(warnings::add);
        if (!hasOtherBase(schema, SchemaForm.identifier(SchemaForm.version(schema)), 0)) {
            var own = SchemaForm.OwnReferences.relative(schema, SchemaKey.BASE + "db/schema");
            references(warnings, own, own, Location.of(""));
        }
    }

    /// Whether a part has an identifier of its own, to which references below it are relative.
    private static boolean hasOtherBase(BsonValue part, String keyword, int depth) {
        return (depth > 0 && part instanceof BsonDocument document && document.get(keyword) instanceof BsonString)
                || BsonValues.within(part).anyMatch(child -> hasOtherBase(child, keyword, depth + 1));
    }

    /// References within the schema to parts that it does not have: writes of documents that get there fail.
    private static void references(Set<String> warnings, BsonDocument root, BsonValue part, Location place) {
        if (warnings.size() >= MAX) {
            return;
        }
        switch (part) {
            case BsonDocument document ->
                document.forEach((key, value) -> {
                    if (key.equals("$ref") && value instanceof BsonString reference) {
                        if (leadsNowhere(root, reference.getValue())) {
                            warnings.add("the reference " + place.member(key) + " leads nowhere: "
                                    + ShortText.of(reference.getValue(), MAX_NAME)
                                    + "; writes of documents that it applies to will fail");
                        }
                    } else if (!OF_LITERALS.contains(key)) {
                        references(warnings, root, value, place.member(key));
                    }
                });
            case BsonArray array -> array.forEach(element -> references(warnings, root, element, place));
            default -> {}
        }
    }

    /// Whether a JSON pointer in a fragment names nothing; false for other references.
    private static boolean leadsNowhere(BsonDocument root, String reference) {
        return reference.startsWith("#/") && SchemaReferences.within(root, reference.substring(1)) == null;
    }

    private static void keywords(Set<String> warnings, BsonValue part, Location place) {
        if (!(part instanceof BsonDocument schema) || warnings.size() >= MAX) {
            return;
        }
        schema.forEach((key, value) -> {
            if (!KEYWORDS.contains(key)) {
                var meant = OF_MONGODB.get(key);
                if (meant != null && warnings.size() < MAX) {
                    warnings.add("the keyword " + place.member(key) + " has no effect: " + meant);
                } else if (!OTHERS.contains(key) && warnings.size() < MAX) {
                    Nearest.to(key, KEYWORDS)
                            .ifPresent(near -> warnings.add(
                                    "the keyword " + place.member(key) + " has no effect; did you mean " + near + "?"));
                }
            } else if (key.equals("format") && value instanceof BsonString format) {
                if (!FORMATS.contains(format.getValue()) && warnings.size() < MAX) {
                    Nearest.to(format.getValue(), FORMATS)
                            .ifPresent(near -> warnings.add("the format " + format.getValue() + " of "
                                    + (place.toString().isEmpty() ? "the schema" : place)
                                    + " is unknown and has no effect; did you mean " + near + "?"));
                }
            } else if (OF_MANY.contains(key) && value instanceof BsonArray several) {
                several.forEach(one -> keywords(warnings, one, place.member(key)));
            } else if (OF_ONE.contains(key)) {
                keywords(warnings, value, place.member(key));
            } else if (OF_NAMED.contains(key) && value instanceof BsonDocument named) {
                var inside = place.member(key);
                named.forEach((name, one) -> keywords(warnings, one, inside.member(name)));
            }
        });
    }
}
