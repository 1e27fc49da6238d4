package org.restheart.rest.validator;

import static com.networknt.schema.SpecificationVersion.DRAFT_2019_09;
import static com.networknt.schema.SpecificationVersion.DRAFT_2020_12;
import static com.networknt.schema.SpecificationVersion.DRAFT_6;
import static com.networknt.schema.SpecificationVersion.DRAFT_7;

import com.networknt.schema.SpecificationVersion;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.rest.schema.SchemaForm;
import org.restheart.rest.schema.SchemaReferences;
import org.restheart.rest.validator.SchemaTranslator.TranslatedSchema.LeftOut;
import org.restheart.text.ShortText;
import org.restheart.text.Words;

/// Translates a JSON Schema into MongoDB's dialect, such that no document is refused that the gateway
/// admits: what cannot be expressed is left out and noted. Where a weaker part would refuse more, as below
/// `not`, it is left out with
/// the keyword that contains it. Confined to one translation.
///
/// The gateway checks documents in their JSON form, and inserted ones before they have `_id` and `_etag`.
/// The translation accounts for both.
final class SchemaTranslator {
    /// Most subschemas, after references have been replaced by what they refer to.
    private static final int MAX_SUBSCHEMAS = 2_000;

    private static final BsonDocument NOTHING = new BsonDocument("not", new BsonDocument());
    private static final String ID = "_id";

    /// The fields that the gateway adds.
    private static final List<String> ADDED = List.of("_etag", ID);

    private static final List<String> NUMBERS = List.of("int", "long", "double");

    /// Divisors for which rounding to 15 digits, as MongoDB does with doubles, makes no difference.
    private static final Set<Integer> ROUND = Set.of(1, 2, 5);

    private static final Set<String> ABOUT_OBJECTS = Words.of("""
        required properties patternProperties additionalProperties minProperties maxProperties dependencies
        dependentRequired dependentSchemas propertyNames unevaluatedProperties
        """);

    /// The types that JSON lacks, with the only key of the object that the gateway sees and the JSON type of
    /// its value.
    private static final Map<String, Map.Entry<String, String>> EXTENDED = Map.ofEntries(
            extended("objectId", "$oid", "string"),
            extended("date", "$date", "number"),
            extended("decimal", "$numberDecimal", "string"),
            extended("binData", "$binary", "object"),
            extended("timestamp", "$timestamp", "object"),
            extended("regex", "$regularExpression", "object"),
            extended("minKey", "$minKey", "number"),
            extended("maxKey", "$maxKey", "number"),
            extended("javascript", "$code", "string"),
            extended("symbol", "$symbol", "string"),
            extended("undefined", "$undefined", "boolean"));

    private static Map.Entry<String, Map.Entry<String, String>> extended(String name, String key, String type) {
        return Map.entry(name, Map.entry(key, type));
    }

    private final Function<String, Optional<BsonDocument>> schemas;
    private final Set<LeftOut> leftOut = new LinkedHashSet<>();
    private int size;

    /// How many parts so far admit more than the schema.
    private int weaker;

    private SchemaTranslator(Function<String, Optional<BsonDocument>> schemas) {
        this.schemas = schemas;
    }

    /// @param schema as clients see it, without `_id` and `_etag`
    /// @param name for clients
    /// @param schemas finds others by their URI
    /// @throws org.restheart.http.ProblemException 422 for a schema that is too large or malformed
    static TranslatedSchema translate(
            BsonDocument schema, String uri, String name, Function<String, Optional<BsonDocument>> schemas) {
        var translator = new SchemaTranslator(schemas);
        var place = new Place(schema, URI.create(uri), SchemaForm.version(schema), name + "#", true, Set.of(uri + "#"));
        try {
            return new TranslatedSchema(translator.part(schema, place), List.copyOf(translator.leftOut));
        } catch (BsonInvalidOperationException e) { // stored by another program
            throw new ProblemException(
                    ProblemCode.UNPROCESSABLE, "a keyword of the schema has a value of a wrong type");
        }
    }

    /// A JSON Schema in MongoDB's dialect. It admits every document that the schema admits, and others where
    /// something is left out. Immutable by agreement.
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

    /// Where a subschema stands. Immutable.
    ///
    /// @param document the schema that it is a part of
    /// @param base to which its references are relative, without a fragment; null if it is not known
    /// @param path by which it is reached, for clients; cut, since names are chosen by clients
    /// @param whole whether it is applied to documents of the collection, not to something in them
    /// @param within the references by which it is reached
    private record Place(
            BsonDocument document,
            @Nullable URI base,
            SpecificationVersion draft,
            String path,
            boolean whole,
            Set<String> within) {
        private static final int MAX_STEP = 200;
        private static final int MAX_PATH = 2_000;

        boolean isSince(SpecificationVersion other) {
            return draft.compareTo(other) >= 0;
        }

        /// A subschema for the same value.
        Place at(String step) {
            var longer = path.length() > MAX_PATH ? path : path + "/" + ShortText.of(step, MAX_STEP);
            return new Place(document, base, draft, longer, whole, within);
        }

        /// A subschema for something in the value.
        Place inside(String step) {
            return new Place(document, base, draft, at(step).path, false, within);
        }
    }

    private BsonDocument leaveOut(Place place, String keyword, String why) {
        leftOut.add(new LeftOut(place.path(), keyword, why));
        weaker++;
        return new BsonDocument();
    }

    /// A translation that admits the same values; empty if it would admit others, which is noted.
    private <T> Optional<T> exactly(Place place, String keyword, Supplier<T> translation) {
        int before = weaker;
        int noted = leftOut.size();
        var translated = translation.get();
        if (weaker == before) {
            return Optional.of(translated);
        }
        if (leftOut.size() == noted) {
            leaveOut(place, keyword, "of which a part cannot be expressed exactly");
        }
        return Optional.empty();
    }

    private BsonDocument part(BsonValue schema, Place place) {
        if (++size > MAX_SUBSCHEMAS) {
            throw new ProblemException(ProblemCode.UNPROCESSABLE, "the schema is too large for a validator of MongoDB");
        }
        if (schema instanceof BsonBoolean admits) {
            return admits.getValue() ? new BsonDocument() : NOTHING.clone();
        }
        if (!(schema instanceof BsonDocument demands)) {
            return leaveOut(place, "schema", "not an object");
        }
        if (demands.get("$ref") instanceof BsonString reference && !place.isSince(DRAFT_2019_09)) {
            return referred(reference.getValue(), place); // what is beside it is ignored
        }
        var here = isNested(demands, place)
                ? new Place(place.document, null, place.draft, place.path, place.whole, place.within)
                : place;
        var all = types(demands, here);
        and(all, items(demands, here));
        and(all, properties(demands, here));
        demands.forEach((keyword, value) -> and(all, keyword(demands, keyword, value, here)));
        return all;
    }

    private static void and(BsonDocument all, BsonDocument part) {
        if (Collections.disjoint(all.keySet(), part.keySet())) {
            all.putAll(part);
        } else {
            all.computeIfAbsent("allOf", _ -> new BsonArray()).asArray().add(part);
        }
    }

    /// Whether the subschema has an identifier of its own, to which references in it are relative.
    @SuppressWarnings("ReferenceEquality") // an equal one elsewhere is another one
    private static boolean isNested(BsonDocument schema, Place place) {
        return schema != place.document()
                && (schema.get("id") instanceof BsonString || schema.get("$id") instanceof BsonString);
    }

    private BsonDocument keyword(BsonDocument schema, String keyword, BsonValue value, Place place) {
        return switch (keyword) {
            case "enum" -> values(value.asArray(), place);
            case "const" -> place.isSince(DRAFT_6) ? values(new BsonArray(List.of(value)), place) : new BsonDocument();
            case "minimum", "maximum" -> limit(schema, keyword, value, place);
            case "exclusiveMinimum", "exclusiveMaximum" ->
                place.isSince(DRAFT_6)
                        ? aboutNumbers(
                                schema,
                                new BsonDocument(keyword.replace("exclusiveM", "m"), value)
                                        .append(keyword, BsonBoolean.TRUE))
                        : new BsonDocument();
            case "multipleOf" ->
                isRound(value.asNumber())
                        ? aboutNumbers(schema, new BsonDocument(keyword, value))
                        : leaveOut(place, keyword, "which is rounded");
            case "minLength", "maxLength", "minItems", "maxItems" -> count(keyword, value, 0);
            case "pattern" ->
                PortablePattern.of(value.asString().getValue())
                        .map(portable -> new BsonDocument(keyword, new BsonString(portable)))
                        .orElseGet(() -> leaveOut(
                                place,
                                keyword,
                                "which MongoDB may read otherwise: "
                                        + value.asString().getValue()));
            case "uniqueItems" -> unique(schema, value, place);
            case "contains" -> place.isSince(DRAFT_6) ? contains(schema, value, place) : new BsonDocument();
            case "required" -> required(schema, value.asArray(), place);
            case "minProperties" -> counted(keyword, value, 0, place);
            case "maxProperties" -> counted(keyword, value, ADDED.size(), place);
            case "dependencies" ->
                place.isSince(DRAFT_2019_09) ? new BsonDocument() : dependencies(keyword, value, place);
            case "dependentRequired", "dependentSchemas" ->
                place.isSince(DRAFT_2019_09) ? dependencies(keyword, value, place) : new BsonDocument();
            case "allOf" -> new BsonDocument(keyword, all(value, keyword, place));
            case "anyOf" -> anyOf(all(value, keyword, place));
            case "oneOf" ->
                exactly(place, keyword, () -> all(value, keyword, place))
                        .map(parts -> new BsonDocument(keyword, parts))
                        .orElseGet(BsonDocument::new);
            case "not" ->
                exactly(place, keyword, () -> part(value, place.at(keyword)))
                        .map(SchemaTranslator::not)
                        .orElseGet(BsonDocument::new);
            case "if" -> place.isSince(DRAFT_7) ? conditional(schema, value, place) : new BsonDocument();
            case "$ref" ->
                new BsonDocument("allOf", array(referred(value.asString().getValue(), place)));
            case "format", "propertyNames", "unevaluatedItems", "unevaluatedProperties" -> leaveOut(place, keyword, "");
            case "$dynamicRef", "$recursiveRef" -> leaveOut(place, keyword, "");
            default -> new BsonDocument(); // translated with others, or without an effect on validity
        };
    }

    private static BsonArray array(BsonDocument... parts) {
        return new BsonArray(List.of(parts));
    }

    private static BsonDocument not(BsonDocument part) {
        return new BsonDocument("not", part);
    }

    private static BsonDocument anyOf(BsonArray parts) {
        return parts.stream().anyMatch(part -> part.asDocument().isEmpty())
                ? new BsonDocument()
                : new BsonDocument("anyOf", parts);
    }

    private static BsonDocument bsonType(List<String> names) {
        return new BsonDocument(
                "bsonType", names.size() == 1 ? new BsonString(names.getFirst()) : BsonTexts.array(names));
    }

    private static BsonDocument count(String keyword, BsonValue count, int plus) {
        return new BsonDocument(
                keyword, new BsonInt32((int) Math.min(count.asNumber().longValue() + plus, Integer.MAX_VALUE)));
    }

    private BsonArray all(BsonValue schemas, String keyword, Place place) {
        var parts = new BsonArray();
        for (var schema : schemas.asArray()) {
            parts.add(part(schema, place.at(keyword + "/" + parts.size())));
        }
        return parts;
    }

    private BsonDocument conditional(BsonDocument schema, BsonValue condition, Place place) {
        return exactly(place, "if", () -> part(condition, place.at("if")))
                .map(met -> anyOf(array(
                        new BsonDocument("allOf", array(met, branch(schema, "then", place))),
                        new BsonDocument("allOf", array(not(met), branch(schema, "else", place))))))
                .orElseGet(BsonDocument::new);
    }

    private BsonDocument branch(BsonDocument schema, String keyword, Place place) {
        return part(schema.get(keyword, BsonBoolean.TRUE), place.at(keyword));
    }

    /// Replaces a reference by what it refers to, in the same schema or in another one of the stores.
    private BsonDocument referred(String reference, Place place) {
        if (place.base == null) {
            return leaveOut(place, "$ref", "relative to an id within the schema");
        }
        URI target;
        try {
            target = place.base.resolve(new URI(reference));
        } catch (URISyntaxException _) {
            return leaveOut(place, "$ref", "no URI");
        }
        var pointer = Optional.ofNullable(target.getRawFragment()).orElse("");
        if (!pointer.isEmpty() && !pointer.startsWith("/")) {
            return leaveOut(place, "$ref", "to an anchor");
        }
        var uri = target.toString().replaceFirst("#.*", "");
        var key = uri + "#" + pointer;
        if (place.within.contains(key)) {
            return leaveOut(place, "$ref", "to a schema that it is a part of");
        }
        var found = uri.equals(place.base.toString()) ? Optional.of(place.document) : schemas.apply(uri);
        if (found.isEmpty()) {
            return leaveOut(place, "$ref", "to a schema that is not in a store");
        }
        var schema = SchemaReferences.within(found.get(), pointer);
        if (schema == null) {
            return leaveOut(place, "$ref", "to nothing");
        }
        var within = new HashSet<>(place.within);
        within.add(key);
        var path = uri.substring(uri.lastIndexOf('/') + 1) + "#" + pointer;
        var draft = SchemaForm.version(found.get());
        return part(schema, new Place(found.get(), URI.create(uri), draft, path, place.whole, Set.copyOf(within)));
    }

    /// JSON's types as those of BSON.
    private BsonDocument types(BsonDocument schema, Place place) {
        var names = typeNames(schema);
        var refused = place.whole ? new ArrayList<String>() : refusedTypes(schema);
        if (demandsKey(schema)) {
            refused.add("object");
        }
        if (names.isEmpty()) {
            return refused.isEmpty() ? new BsonDocument() : not(bsonType(refused));
        }
        var types = new LinkedHashSet<String>();
        for (var name : names) {
            switch (name) {
                case "object" -> {
                    types.add("object");
                    if (!place.whole) {
                        types.addAll(EXTENDED.keySet().stream().sorted().toList());
                        if (!schema.containsKey("required")) { // types of several keys
                            types.addAll(List.of("javascriptWithScope", "dbPointer"));
                        }
                    }
                    refused.forEach(types::remove);
                }
                case "boolean" -> types.add("bool");
                case "number" -> types.addAll(NUMBERS);
                case "integer" -> types.addAll(List.of("int", "long"));
                default -> types.add(name);
            }
        }
        if (types.isEmpty()) {
            return NOTHING.clone();
        }
        var plain = bsonType(List.copyOf(types));
        return names.contains("integer") && !names.contains("number") && place.isSince(DRAFT_6) // 1.0 is an integer too
                ? anyOf(array(plain, bsonType(List.of("double")).append("multipleOf", new BsonInt32(1))))
                : plain;
    }

    /// Empty for any.
    private static Set<String> typeNames(BsonDocument schema) {
        return new LinkedHashSet<>(BsonTexts.several(schema.get("type")));
    }

    /// Whether a schema demands a key that only the JSON form of another type has.
    private static boolean demandsKey(BsonDocument schema) {
        return BsonTexts.among(schema.get("required")).stream().anyMatch(name -> name.startsWith("$"));
    }

    /// The types that do not pass, as objects, what a schema demands of these: MongoDB applies it to
    /// documents only.
    private List<String> refusedTypes(BsonDocument schema) {
        var refused = new ArrayList<String>();
        if (!Collections.disjoint(schema.keySet(), ABOUT_OBJECTS)) {
            EXTENDED.forEach((name, form) -> {
                var admitted = admits(schema, form.getKey(), form.getValue());
                if (admitted.isEmpty()) {
                    weaker++;
                } else if (!admitted.get()) {
                    refused.add(name);
                }
            });
        }
        Collections.sort(refused);
        return refused;
    }

    /// Whether an object with this key alone is admitted; empty if that is not known.
    ///
    /// @param type of its value
    private static Optional<Boolean> admits(BsonDocument schema, String key, String type) {
        var properties = schema.getDocument("properties", new BsonDocument());
        var closed = schema.getOrDefault("additionalProperties", BsonBoolean.TRUE);
        boolean isNamed = properties.containsKey(key);
        boolean refuses = BsonTexts.among(schema.get("required")).stream().anyMatch(name -> !name.equals(key))
                || (schema.get("minProperties") instanceof BsonNumber least && least.doubleValue() > 1)
                || (schema.get("maxProperties") instanceof BsonNumber most && most.doubleValue() < 1)
                || (!isNamed && closed.equals(BsonBoolean.FALSE) && !schema.containsKey("patternProperties"));
        if (refuses) {
            return Optional.of(false);
        }
        boolean isPlain =
                schema.keySet().stream()
                                .filter(ABOUT_OBJECTS::contains)
                                .allMatch(Set.of(
                                        "required",
                                        "properties",
                                        "additionalProperties",
                                        "minProperties",
                                        "maxProperties")::contains)
                        && (isNamed || closed.equals(BsonBoolean.TRUE));
        if (isNamed && properties.get(key) instanceof BsonDocument demands && !demands.isEmpty()) {
            var named = demands.get("type") instanceof BsonString text ? text.getValue() : "";
            boolean isOther =
                    !named.isEmpty() && !named.equals(type) && !(named.equals("integer") && type.equals("number"));
            return isOther
                    ? Optional.of(false)
                    : isPlain && demands.size() == 1 && named.equals(type) ? Optional.of(true) : Optional.empty();
        }
        return isPlain ? Optional.of(true) : Optional.empty();
    }

    /// MongoDB compares numbers by value, decimals too, which are objects to the gateway.
    private BsonDocument values(BsonArray listed, Place place) {
        if (place.whole) { // a stored document has other fields than the one that was checked
            return leaveOut(place, "enum", "of whole documents");
        }
        var numbers = new LinkedHashSet<BsonValue>();
        var others = new LinkedHashSet<BsonValue>();
        listed.forEach(value -> {
            var stored = stored(value);
            (stored instanceof BsonNumber ? numbers : others).add(stored);
        });
        var parts = new BsonArray();
        if (!others.isEmpty()) {
            parts.add(new BsonDocument("enum", new BsonArray(List.copyOf(others))));
        }
        if (!numbers.isEmpty()) {
            weaker++; // by doubles
            parts.add(bsonType(NUMBERS).append("enum", new BsonArray(List.copyOf(numbers))));
        }
        return parts.size() == 1 ? parts.getFirst().asDocument() : anyOf(parts);
    }

    /// The value that has this JSON form.
    private static BsonValue stored(BsonValue value) {
        try {
            var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(new BsonDocument("v", value));
            return JsonParser.parse(json) instanceof BsonDocument parsed ? parsed.getOrDefault("v", value) : value;
        } catch (MalformedJsonException _) {
            return value;
        }
    }

    private BsonDocument limit(BsonDocument schema, String keyword, BsonValue limit, Place place) {
        var demand = new BsonDocument(keyword, limit);
        var exclusive = "exclusiveM" + keyword.substring(1);
        if (schema.get(exclusive) instanceof BsonBoolean strict && !place.isSince(DRAFT_6)) {
            demand.append(exclusive, strict);
        }
        return aboutNumbers(schema, demand);
    }

    private static boolean isRound(BsonNumber divisor) {
        var digits = (divisor instanceof BsonDouble
                        ? BigDecimal.valueOf(divisor.doubleValue())
                        : BigDecimal.valueOf(divisor.longValue()))
                .stripTrailingZeros()
                .unscaledValue();
        return digits.bitLength() < 8 && ROUND.contains(digits.intValue());
    }

    /// A demand on numbers that does not concern what the gateway takes for objects: decimals, and what is
    /// not finite.
    private static BsonDocument aboutNumbers(BsonDocument schema, BsonDocument demand) {
        var names = typeNames(schema);
        if (!names.isEmpty() && !names.contains("object")) {
            return demand;
        }
        var notFinite = new BsonArray(List.of(
                new BsonDouble(Double.NaN),
                new BsonDouble(Double.POSITIVE_INFINITY),
                new BsonDouble(Double.NEGATIVE_INFINITY)));
        return anyOf(array(not(bsonType(NUMBERS)), new BsonDocument("enum", notFinite), demand));
    }

    /// The last draft has `prefixItems` and `items` for what the others call `items` and `additionalItems`.
    private BsonDocument items(BsonDocument schema, Place place) {
        boolean renamed = place.isSince(DRAFT_2020_12);
        var firstName = renamed ? "prefixItems" : "items";
        var restName = renamed ? "items" : "additionalItems";
        if (!(schema.get(firstName) instanceof BsonArray first)) {
            return schema.containsKey("items")
                    ? new BsonDocument("items", part(schema.get("items"), place.inside("items")))
                    : new BsonDocument();
        }
        var parts = new BsonArray();
        first.forEach(item -> parts.add(part(item, place.inside(firstName + "/" + parts.size()))));
        var translated = new BsonDocument("items", parts);
        return schema.containsKey(restName)
                ? translated.append("additionalItems", part(schema.get(restName), place.inside(restName)))
                : translated;
    }

    /// To the gateway `1` and `1.0` differ, and decimals are objects.
    private BsonDocument unique(BsonDocument schema, BsonValue demanded, Place place) {
        if (!demanded.equals(BsonBoolean.TRUE)) {
            return new BsonDocument();
        }
        var names = schema.get("items") instanceof BsonDocument each && !each.containsKey("$ref")
                ? typeNames(each)
                : Set.<String>of();
        boolean isComparable = !names.isEmpty()
                && names.stream().allMatch(name -> switch (name) {
                    case "string", "boolean", "null" -> true;
                    case "integer" -> !place.isSince(DRAFT_6); // else 1.0 is one
                    default -> false;
                });
        return isComparable
                ? new BsonDocument("uniqueItems", demanded)
                : leaveOut(place, "uniqueItems", "for arrays with other elements than strings, integers and the like");
    }

    private BsonDocument contains(BsonDocument schema, BsonValue contained, Place place) {
        if (schema.containsKey("minContains") || schema.containsKey("maxContains")) {
            return leaveOut(place, "contains", "with minContains or maxContains");
        }
        return exactly(place, "contains", () -> part(contained, place.inside("contains")))
                .map(part -> anyOf(array(not(bsonType(List.of("array"))), not(new BsonDocument("items", not(part))))))
                .orElseGet(BsonDocument::new);
    }

    private static boolean isUsable(String name) {
        return !name.isEmpty() && name.indexOf('.') < 0 && !name.startsWith("$");
    }

    /// Whether a keyword's outcome for the stored document may differ from that for the document that the
    /// gateway checked.
    private static boolean differs(Place place, String name) {
        return place.whole && ADDED.contains(name);
    }

    /// Keys of other types in JSON are translated to the types; documents with such fields exist hardly
    /// anywhere.
    private void leaveOutName(Place place, String keyword, String name) {
        if (name.startsWith("$")) {
            weaker++;
        } else {
            leaveOut(place, keyword, "the field '" + name + "'");
        }
    }

    private BsonDocument required(BsonDocument schema, BsonArray required, Place place) {
        var names = new LinkedHashSet<String>();
        for (var name : BsonTexts.among(required)) {
            if (!isUsable(name)) {
                if (!name.startsWith("$") || !demandsKey(schema)) {
                    leaveOutName(place, "required", name);
                }
            } else if (!differs(place, name) || name.equals(ID)) {
                names.add(name);
            }
            weaker += differs(place, name) ? 1 : 0;
        }
        return names.isEmpty() ? new BsonDocument() : new BsonDocument("required", BsonTexts.array(names));
    }

    private BsonDocument counted(String keyword, BsonValue count, int added, Place place) {
        weaker += place.whole ? 1 : 0;
        return count(keyword, count, place.whole ? added : 0);
    }

    /// Keywords about fields by name; those that MongoDB cannot address are without demands.
    private BsonDocument properties(BsonDocument schema, Place place) {
        var named = new BsonDocument();
        schema.getDocument("properties", new BsonDocument()).forEach((name, value) -> {
            if (!isUsable(name)) {
                if (!isAnything(value) && !(name.startsWith("$") && demandsKey(schema))) {
                    leaveOutName(place, "properties", name);
                }
                if (!(name.startsWith("$") && demandsKey(schema))) {
                    named.append(name, new BsonDocument());
                }
            } else {
                named.append(name, field(schema, name, value, place));
            }
        });
        var patterns = patterns(schema, place);
        var additional = schema.getOrDefault("additionalProperties", BsonBoolean.TRUE);
        var demands = new BsonDocument();
        if (patterns.isPresent() && !additional.equals(BsonBoolean.TRUE)) {
            var rest = part(additional, place.inside("additionalProperties"));
            demands.append("additionalProperties", rest.equals(NOTHING) ? BsonBoolean.FALSE : rest);
            if (place.whole) {
                weaker++;
                ADDED.forEach(name -> named.putIfAbsent(name, new BsonDocument()));
            }
        }
        if (!named.isEmpty()) {
            demands.append("properties", named);
        }
        patterns.filter(some -> !some.isEmpty()).ifPresent(some -> demands.append("patternProperties", some));
        return demands;
    }

    private static boolean isAnything(BsonValue schema) {
        return schema.equals(new BsonDocument()) || BsonBoolean.TRUE.equals(schema);
    }

    private BsonDocument field(BsonDocument schema, String name, BsonValue value, Place place) {
        if (!differs(place, name) || isAnything(value)) {
            return part(value, place.inside("properties/" + name));
        }
        weaker++;
        boolean sent =
                name.equals(ID) && BsonTexts.among(schema.get("required")).contains(ID);
        return sent ? part(value, place.inside("properties/" + name)) : new BsonDocument();
    }

    /// Fields by patterns of their names; empty if there are some that MongoDB would read otherwise.
    private Optional<BsonDocument> patterns(BsonDocument schema, Place place) {
        var translated = new BsonDocument();
        boolean complete = true;
        for (var entry :
                schema.getDocument("patternProperties", new BsonDocument()).entrySet()) {
            var pattern = entry.getKey();
            var portable = PortablePattern.ofNames(pattern);
            if (portable.isEmpty() || (place.whole && mayConcernAdded(pattern))) {
                complete = false;
                leaveOut(place, "patternProperties", "for the pattern " + pattern);
            } else {
                translated.append(portable.get(), part(entry.getValue(), place.inside("patternProperties/" + pattern)));
            }
        }
        return complete ? Optional.of(translated) : Optional.empty();
    }

    private static boolean mayConcernAdded(String pattern) {
        var compiled = Pattern.compile(pattern);
        return ADDED.stream().anyMatch(name -> compiled.matcher(name).find());
    }

    private BsonDocument dependencies(String keyword, BsonValue dependencies, Place place) {
        var translated = new BsonDocument();
        dependencies.asDocument().forEach((name, value) -> {
            if (!isUsable(name)) {
                leaveOutName(place, keyword, name);
            } else if (differs(place, name)) {
                leaveOut(place, keyword, "the field '" + name + "'");
            } else {
                var there = place.at(keyword + "/" + name);
                var part = value instanceof BsonArray names
                        ? required(new BsonDocument("required", names), names, there)
                        : part(value, there);
                if (!part.isEmpty()) {
                    translated.append(name, part);
                }
            }
        });
        return translated.isEmpty() ? new BsonDocument() : new BsonDocument("dependencies", translated);
    }

    /// Patterns that Java and MongoDB (PCRE2) understand alike, once dots and dollars are written out.
    private static final class PortablePattern {
        /// Where Java's dot does not match.
        private static final String DOT = "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]";

        /// Classes, punctuation, and code points other than the halves of a pair.
        private static final String ESCAPE =
                "\\\\[dDwWsStnrf]|\\\\[!-/:-@\\[-`{-~]|\\\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4}";

        /// Groups are capturing or not, or look ahead; possessive quantifiers are not portable.
        private static final Pattern TOKEN = Pattern.compile(
                ESCAPE
                        + "|\\\\[bB]|\\[\\^?+(?!])|\\((?:\\?[:=!]|(?!\\?))|(?:[*+?]|\\{\\d{1,4}(?:,\\d{0,4})?})(?!\\+)|[^\\\\\\[({*+?]");

        /// Only Java has sets in sets.
        private static final Pattern IN_SET = Pattern.compile(ESCAPE + "|[^\\\\\\[&]");

        /// What matches one character other than those of ASCII.
        private static final Pattern BEYOND_ASCII =
                Pattern.compile("\\[\\^|(?<!\\\\)(\\\\\\\\)*(\\.|\\\\[DWSBbu])|[^\\x00-\\x7f]");

        private PortablePattern() {}

        /// The same for MongoDB; empty if one of them may read it otherwise.
        static Optional<String> of(String pattern) {
            var out = new StringBuilder();
            boolean inSet = false;
            for (int at = 0; at < pattern.length(); ) {
                var token = (inSet ? IN_SET : TOKEN).matcher(pattern).region(at, pattern.length());
                if (!token.lookingAt()) {
                    return Optional.empty();
                }
                at = token.end();
                out.append(inSet ? inSet(token.group()) : translated(token.group()));
                inSet = inSet ? !token.group().equals("]") : token.group().startsWith("[");
            }
            return inSet ? Optional.empty() : Optional.of(out.toString());
        }

        private static String translated(String token) {
            return switch (token) {
                case "." -> DOT;
                case "$" -> "\\z";
                case "]", "}" -> "\\" + token;
                default -> inSet(token);
            };
        }

        private static String inSet(String token) {
            return token.startsWith("\\u") ? "\\x{" + token.substring(2) + "}" : token;
        }

        /// The same for names of fields, which MongoDB looks at byte by byte.
        static Optional<String> ofNames(String pattern) {
            return BEYOND_ASCII.matcher(pattern).find() ? Optional.empty() : of(pattern);
        }
    }
}
