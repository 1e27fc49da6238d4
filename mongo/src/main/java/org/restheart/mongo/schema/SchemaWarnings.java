package org.restheart.mongo.schema;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Nearest;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.ShortText;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.resource.ResourcePath;

/// Warnings about what a schema says without effect: misspelt keywords, unknown drafts. Such schemas are valid.
public final class SchemaWarnings {
    private static final int MAX = 10;

    /// Characters of each name in a place.
    private static final int MAX_NAME = 100;

    private static final Set<String> OF_ONE = Set.of(
            "additionalItems",
            "additionalProperties",
            "contains",
            "contentSchema",
            "else",
            "if",
            "items",
            "not",
            "propertyNames",
            "then",
            "unevaluatedItems",
            "unevaluatedProperties");
    private static final Set<String> OF_MANY = Set.of("allOf", "anyOf", "items", "oneOf", "prefixItems");
    private static final Set<String> OF_NAMED =
            Set.of("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties");
    private static final Set<String> OF_VALUES = Set.of(
            "$anchor",
            "$comment",
            "$dynamicAnchor",
            "$dynamicRef",
            "$id",
            "$recursiveAnchor",
            "$recursiveRef",
            "$ref",
            "$schema",
            "$vocabulary",
            "const",
            "contentEncoding",
            "contentMediaType",
            "default",
            "dependentRequired",
            "deprecated",
            "description",
            "enum",
            "examples",
            "exclusiveMaximum",
            "exclusiveMinimum",
            "format",
            "id",
            "maxContains",
            "maxItems",
            "maxLength",
            "maxProperties",
            "maximum",
            "minContains",
            "minItems",
            "minLength",
            "minProperties",
            "minimum",
            "multipleOf",
            "pattern",
            "readOnly",
            "required",
            "title",
            "type",
            "uniqueItems",
            "writeOnly");

    /// The keywords of all drafts.
    private static final Set<String> KEYWORDS = Stream.of(OF_ONE, OF_MANY, OF_NAMED, OF_VALUES)
            .flatMap(Set::stream)
            .collect(Collectors.toUnmodifiableSet());

    /// Of the data API, and of OpenAPI.
    private static final Set<String> OTHERS = Set.of("_id", "_etag", "example");

    private SchemaWarnings() {}

    /// Whether a request may write schemas.
    public static boolean concern(Request request) {
        var kind = request.require(ResourcePath.KEY).kind();
        return switch (request.method()) {
            case PUT -> kind == ResourceKind.SCHEMA;
            case POST -> kind == ResourceKind.SCHEMA_STORE;
            case GET, HEAD, OPTIONS, DELETE, PATCH -> false;
        };
    }

    /// @param request that has been carried out; nothing is said about requests for other resources
    public static List<String> of(Request request) {
        if (!concern(request) || request.require(RequestContent.KEY).isUnread()) {
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
        keywords(warnings, schema, Place.TOP);
    }

    /// Where a keyword stands; its text is made for warnings only.
    private record Place(@Nullable Place outer, String name) {
        private static final Place TOP = new Place(null, "");

        Place below(String name) {
            return new Place(this, name);
        }

        @Override
        public String toString() {
            return outer == null ? "" : outer + ShortText.of(name, MAX_NAME) + ".";
        }
    }

    private static void keywords(Set<String> warnings, BsonValue part, Place place) {
        if (!(part instanceof BsonDocument schema) || warnings.size() >= MAX) {
            return;
        }
        schema.forEach((key, value) -> {
            if (!KEYWORDS.contains(key)) {
                if (!OTHERS.contains(key) && warnings.size() < MAX) {
                    Nearest.to(key, KEYWORDS)
                            .ifPresent(near -> warnings.add(
                                    "the keyword " + place + key + " has no effect; did you mean " + near + "?"));
                }
            } else if (OF_MANY.contains(key) && value instanceof BsonArray several) {
                several.forEach(one -> keywords(warnings, one, place.below(key)));
            } else if (OF_ONE.contains(key)) {
                keywords(warnings, value, place.below(key));
            } else if (OF_NAMED.contains(key) && value instanceof BsonDocument named) {
                var inside = place.below(key);
                named.forEach((name, one) -> keywords(warnings, one, inside.below(name)));
            }
        });
    }
}
