package org.restheart.mongo.validator;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Words;
import org.restheart.mongo.validator.SchemaPlace.Draft;
import org.restheart.mongo.validator.SchemaPlace.Referred;
import org.restheart.mongo.validator.SchemaTranslator.TranslatedSchema.LeftOut;
import org.restheart.mongo.validator.TranslatedPart.Bound;

/// Translates a JSON Schema into MongoDB's dialect, such that no document is refused that the gateway admits: what
/// cannot be expressed is left out and noted, below `not` together with what contains it. Confined to one translation.
///
/// The gateway checks documents in their JSON form, and inserted ones before they have `_id` and `_etag`. The
/// translation accounts for both.
final class SchemaTranslator {
    /// Most subschemas, after references have been replaced by what they refer to.
    private static final int MAX_SUBSCHEMAS = 2_000;

    /// Keywords without an effect on validity.
    private static final Set<String> ANNOTATIONS = Words.of("""
            $schema $comment $defs definitions title description default examples readOnly writeOnly deprecated
            $anchor $vocabulary contentEncoding contentMediaType contentSchema
            """);

    private static final Set<String> INEXPRESSIBLE = Words.of("""
            format propertyNames unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef
            """);

    /// Keywords about values of one type; translated together.
    private static final Set<String> GROUPED = Words.of("""
            type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern
            items additionalItems prefixItems minItems maxItems uniqueItems contains required properties
            patternProperties additionalProperties minProperties maxProperties dependencies dependentRequired
            dependentSchemas
            """);

    private final Function<String, Optional<BsonDocument>> schemas;
    private final Set<LeftOut> leftOut = new LinkedHashSet<>();
    private int size;

    private SchemaTranslator(Function<String, Optional<BsonDocument>> schemas) {
        this.schemas = schemas;
    }

    /// @param schema as clients see it, without `_id` and `_etag`
    /// @param uri of the schema
    /// @param name for clients
    /// @param schemas finds others by their URI
    /// @throws org.restheart.http.ProblemException 422 for a schema that is too large
    static TranslatedSchema translate(
            BsonDocument schema, String uri, String name, Function<String, Optional<BsonDocument>> schemas) {
        var translator = new SchemaTranslator(schemas);
        var part = translator.part(schema, SchemaPlace.root(schema, uri, name), Bound.UPPER);
        return new TranslatedSchema(part.schema(), List.copyOf(translator.leftOut));
    }

    /// Notes what cannot be expressed.
    TranslatedPart leaveOut(SchemaPlace place, String keyword, String why, Bound bound) {
        leftOut.add(new LeftOut(place.path(), keyword, why));
        return TranslatedPart.unknown(bound);
    }

    TranslatedPart part(BsonValue schema, SchemaPlace place, Bound bound) {
        if (++size > MAX_SUBSCHEMAS) {
            throw new ProblemException(ProblemCode.UNPROCESSABLE, "the schema is too large for a validator of MongoDB");
        }
        if (schema instanceof BsonBoolean admits) {
            return admits.getValue() ? TranslatedPart.ANY : TranslatedPart.nothing();
        }
        if (!(schema instanceof BsonDocument demands)) {
            return leaveOut(place, "schema", "not an object", bound);
        }
        boolean refers = demands.get("$ref") instanceof BsonString;
        if (refers && !place.draft().isSince(Draft.V2019)) { // which ignores what is beside it
            return referred(demands.getString("$ref").getValue(), place, bound);
        }
        var here = isNested(demands, place) ? place.withoutBase() : place;
        var groups = new ArrayList<TranslatedPart>();
        var others = new ArrayList<TranslatedPart>();
        groups.addAll(new ValueKeywords(this, demands, here, bound).translate());
        groups.add(new ObjectKeywords(this, demands, here, bound).translate());
        demands.forEach((keyword, value) -> others.add(other(demands, keyword, value, here, bound)));
        return TranslatedPart.allOf(groups, others);
    }

    /// Whether the subschema has an identifier of its own.
    @SuppressWarnings("ReferenceEquality") // an equal one elsewhere is another one
    private static boolean isNested(BsonDocument schema, SchemaPlace place) {
        return schema != place.document() && (isText(schema.get("id")) || isText(schema.get("$id")));
    }

    private static boolean isText(@Nullable BsonValue value) {
        return value instanceof BsonString;
    }

    private TranslatedPart other(BsonDocument schema, String keyword, BsonValue value, SchemaPlace place, Bound bound) {
        if (GROUPED.contains(keyword) || ANNOTATIONS.contains(keyword)) {
            return TranslatedPart.ANY;
        }
        return switch (keyword) {
            case "allOf" -> TranslatedPart.several("allOf", all(value, keyword, place, bound));
            case "anyOf" -> TranslatedPart.anyOf(all(value, keyword, place, bound));
            case "oneOf" -> oneOf(value, place, bound);
            case "not" -> TranslatedPart.not(part(value, place.at("not"), bound.opposite()));
            case "if" ->
                place.draft().isSince(Draft.V7) ? conditional(schema, value, place, bound) : TranslatedPart.ANY;
            case "then", "else" -> TranslatedPart.ANY;
            case "$ref" -> referred(value.asString().getValue(), place, bound);
            default -> // unknown keywords have no meaning
                INEXPRESSIBLE.contains(keyword) ? leaveOut(place, keyword, "", bound) : TranslatedPart.ANY;
        };
    }

    private List<TranslatedPart> all(BsonValue schemas, String keyword, SchemaPlace place, Bound bound) {
        var parts = new ArrayList<TranslatedPart>();
        for (int i = 0; schemas instanceof BsonArray array && i < array.size(); i++) {
            parts.add(part(array.get(i), place.at(keyword + "/" + i), bound));
        }
        return parts;
    }

    /// That exactly one applies is known only if each is known exactly; else one must, at least.
    private TranslatedPart oneOf(BsonValue schemas, SchemaPlace place, Bound bound) {
        var parts = all(schemas, "oneOf", place, bound);
        if (parts.stream().allMatch(TranslatedPart::exact)) {
            return TranslatedPart.several("oneOf", parts);
        }
        var unknown = leaveOut(place, "oneOf", "since alternatives cannot be told apart", bound);
        return bound == Bound.UPPER ? TranslatedPart.anyOf(parts).inexact() : unknown;
    }

    private TranslatedPart conditional(BsonDocument schema, BsonValue condition, SchemaPlace place, Bound bound) {
        var met = part(condition, place.at("if"), bound);
        var missed = TranslatedPart.not(part(condition, place.at("if"), bound.opposite()));
        var then = part(schema.get("then", BsonBoolean.TRUE), place.at("then"), bound);
        var otherwise = part(schema.get("else", BsonBoolean.TRUE), place.at("else"), bound);
        return TranslatedPart.anyOf(List.of(
                TranslatedPart.allOf(List.of(), List.of(met, then)),
                TranslatedPart.allOf(List.of(), List.of(missed, otherwise))));
    }

    private TranslatedPart referred(String reference, SchemaPlace place, Bound bound) {
        return switch (place.find(reference, schemas)) {
            case Referred.Found(var schema, var there) -> part(schema, there, bound);
            case Referred.Unusable(var why) -> leaveOut(place, "$ref", why, bound);
        };
    }

    /// A JSON Schema in MongoDB's dialect. It admits every document that the schema admits, and others where something
    /// is left out. Immutable by agreement.
    ///
    /// @param schema the value of `$jsonSchema`
    /// @param leftOut what MongoDB cannot express; empty if the translation is complete
    record TranslatedSchema(BsonDocument schema, List<LeftOut> leftOut) {
        /// A keyword that MongoDB cannot express.
        ///
        /// @param path of the subschema with the keyword, as it is reached: `order#/properties/price`
        record LeftOut(String path, String keyword, String why) {
            String text() {
                return path + ": " + keyword + (why.isEmpty() ? "" : ", " + why);
            }
        }

        boolean isComplete() {
            return leftOut.isEmpty();
        }
    }
}
