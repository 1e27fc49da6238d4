package org.restheart.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;
import org.restheart.rest.description.Shape;
import org.restheart.rest.resource.ResourceMethods;

/// Schemas hold for what they describe.
class SchemaConversionTest {
    private static final List<BsonValue> VALUES = List.of(
            new BsonString("s"),
            BsonBoolean.TRUE,
            new BsonInt32(1),
            new BsonInt64(1L << 40),
            new BsonDouble(1.5),
            new BsonDouble(Double.NaN),
            new BsonDouble(Double.NEGATIVE_INFINITY),
            new BsonDecimal128(Decimal128.parse("1.5")),
            BsonNull.VALUE,
            new BsonObjectId(new ObjectId("6193504e1be4ab27791c8133")),
            new BsonDateTime(1_652_732_521_104L),
            new BsonDateTime(-1),
            new BsonDateTime(300_000_000_000_000L),
            new BsonBinary(new byte[] {1, 2}),
            new BsonTimestamp(1, 2),
            new BsonRegularExpression("a", "i"),
            new BsonSymbol("s"),
            new BsonJavaScript("x"),
            new BsonMinKey(),
            new BsonMaxKey());

    /// This mode writes numbers that are none as JSON cannot.
    private static List<BsonValue> valuesIn(JsonMode mode) {
        return VALUES.stream()
                .filter(value -> mode != JsonMode.STRICT
                        || !value.isDouble()
                        || Double.isFinite(value.asDouble().getValue()))
                .toList();
    }

    private static BsonDocument resolvable(BsonDocument schema, Components components) {
        var definitions = new BsonDocument();
        components.schemas().forEach(definitions::append);
        return schema.clone().append("components", new BsonDocument("schemas", definitions));
    }

    private static Schema compiled(BsonDocument schema) {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(JsonEncoder.of(JsonMode.DEFAULT).encodeToString(schema), InputFormat.JSON);
    }

    private static Shape shape(List<BsonDocument> documents) {
        var builder = new Shape.Builder();
        documents.forEach(builder::add);
        return builder.build();
    }

    @ParameterizedTest
    @EnumSource(
            value = JsonMode.class,
            names = {"DEFAULT", "RELAXED", "STRICT", "EXTENDED", "PLAIN"})
    void every_type_is_described_as_it_is_spelled(JsonMode mode) {
        for (var value : valuesIn(mode)) {
            var document = new BsonDocument("v", value);
            var components = new Components(mode);
            var schema = new ShapeSchemas(components, true)
                    .object(shape(List.of(document)).root(), "X");
            var json = JsonEncoder.of(mode).encodeToString(document);
            assertThat(compiled(resolvable(schema, components)).validate(json, InputFormat.JSON))
                    .as("%s by %s", json, schema)
                    .isEmpty();
            var other = new BsonDocument("v", new BsonDocument("other", new BsonString("x")));
            if (mode == JsonMode.DEFAULT) {
                assertThat(compiled(resolvable(schema, components))
                                .validate(JsonEncoder.of(mode).encodeToString(other), InputFormat.JSON))
                        .as("the schema of %s says something", value)
                        .isNotEmpty();
            }
        }
    }

    private static BsonValue value(Random random, int depth, List<BsonValue> values) {
        return switch (random.nextInt(depth > 3 ? 4 : 7)) {
            case 0, 1, 2, 3 -> values.get(random.nextInt(values.size()));
            case 4 -> {
                var array = new BsonArray();
                for (int i = random.nextInt(4); i > 0; i--) {
                    array.add(value(random, depth + 1, values));
                }
                yield array;
            }
            default -> document(random, depth + 1, values);
        };
    }

    private static BsonDocument document(Random random, int depth, List<BsonValue> values) {
        var document = new BsonDocument();
        for (int i = random.nextInt(5); i > 0; i--) {
            var name = random.nextInt(6) == 0
                    ? List.of("ada@example.org", "6193504e1be4ab27791c8133", "2026-01-01", "12", "é.x", "a b")
                            .get(random.nextInt(6))
                    : "f" + random.nextInt(5);
            document.append(name, value(random, depth, values));
        }
        return document;
    }

    @ParameterizedTest
    @EnumSource(
            value = JsonMode.class,
            names = {"DEFAULT", "RELAXED", "STRICT", "EXTENDED"})
    void every_document_of_a_sample_is_valid(JsonMode mode) {
        for (int seed = 0; seed < 60; seed++) {
            var random = new Random(seed);
            var documents = new ArrayList<BsonDocument>();
            for (int i = random.nextInt(6); i >= 0; i--) {
                documents.add(document(random, 0, valuesIn(mode)));
            }
            var components = new Components(mode);
            var schema =
                    new ShapeSchemas(components, true).object(shape(documents).root(), "X");
            var compiled = compiled(resolvable(schema, components));
            for (var document : documents) {
                var json = JsonEncoder.of(mode).encodeToString(document);
                assertThat(compiled.validate(json, InputFormat.JSON))
                        .as("seed %s: %s by %s", seed, json, resolvable(schema, components))
                        .isEmpty();
            }
        }
    }

    @Test
    void the_order_of_documents_does_not_matter() {
        for (int seed = 0; seed < 100; seed++) {
            var random = new Random(seed);
            var documents = new ArrayList<BsonDocument>();
            for (int i = 0; i < 8; i++) {
                documents.add(document(random, 0, VALUES));
            }
            var shape = shape(documents);
            Collections.shuffle(documents, random);
            assertThat(shape(documents)).isEqualTo(shape);
        }
    }

    @Test
    void names_that_are_data_are_never_told() {
        var documents = new ArrayList<BsonDocument>();
        for (int i = 0; i < 60; i++) {
            documents.add(new BsonDocument("by", new BsonDocument("key" + (char) ('a' + i % 26) + i, new BsonInt32(1)))
                    .append("mixed", new BsonDocument("name", new BsonInt32(1)).append("x@y.org", new BsonInt32(2)))
                    .append("6193504e1be4ab27791c8133", BsonNull.VALUE));
        }
        var components = new Components(JsonMode.DEFAULT);
        var schema = new ShapeSchemas(components, false).object(shape(documents).root(), "X");
        var text = resolvable(schema, components).toString();
        assertThat(text).contains("mixed", "name").doesNotContain("key", "x@y", "6193504e1be4ab27791c8133");
    }

    private static BsonDocument declared(String json) {
        var components = new Components(JsonMode.DEFAULT);
        var schema = new DocumentSchemas.DeclaredSchemas(components, "X", _ -> Optional.empty())
                .convert(BsonDocument.parse(json));
        components.put("X", schema);
        return resolvable(Json.schema("X"), components);
    }

    @Test
    void a_schema_of_draft_4_says_the_same_in_2020_12() {
        var schemas = List.of(
                "{type: 'object', required: ['a'], properties: {a: {type: 'number', minimum: 0, exclusiveMinimum:"
                        + " true}}}",
                "{properties: {a: {type: ['string', 'null'], maxLength: 3}}, additionalProperties: false}",
                "{properties: {a: {items: [{type: 'string'}, {type: 'number'}], additionalItems: false}}}",
                "{properties: {a: {items: [{type: 'string'}], additionalItems: {type: 'boolean'}}}}",
                "{dependencies: {a: ['b'], b: {properties: {c: {type: 'string'}}, required: ['c']}}}",
                "{definitions: {n: {type: 'object', properties: {a: {$ref: '#/definitions/n'}, b: {type: 'number'}}}},"
                        + " properties: {a: {$ref: '#/definitions/n'}}}",
                "{type: 'object', properties: {a: {$ref: '#'}, b: {enum: [1, 'x', null]}}}",
                "{oneOf: [{required: ['a']}, {required: ['b']}], not: {required: ['c']}}",
                "{patternProperties: {'^[ab]$': {type: 'number'}}, minProperties: 1, maxProperties: 2}");
        var random = new Random(5);
        int accepted = 0;
        int refused = 0;
        for (var json : schemas) {
            var old = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_4)
                    .getSchema(BsonDocument.parse(json).toJson(), InputFormat.JSON);
            var converted = compiled(declared(json));
            for (int i = 0; i < 300; i++) {
                var instance = instance(random, 0).toString().replace("=", ":");
                boolean verdict = old.validate(instance, InputFormat.JSON).isEmpty();
                assertThat(converted.validate(instance, InputFormat.JSON).isEmpty())
                        .as("%s: %s by %s", json, instance, declared(json))
                        .isEqualTo(verdict);
                accepted += verdict ? 1 : 0;
                refused += verdict ? 0 : 1;
            }
        }
        assertThat(Math.min(accepted, refused)).isGreaterThan(300);
    }

    private static String instance(Random random, int depth) {
        return switch (depth == 0 ? 0 : depth > 2 ? 3 : random.nextInt(7)) {
            case 1, 2, 3 ->
                List.of("1", "0", "-1.5", "null", "true", "\"x\"", "\"long\"").get(random.nextInt(7));
            case 4 -> "[" + instance(random, depth + 1) + ", " + instance(random, depth + 1) + "]";
            case 5 -> "[]";
            default ->
                Arrays.stream("abc".split(""))
                        .filter(_ -> random.nextBoolean())
                        .map(name -> "\"" + name + "\": " + instance(random, depth + 1))
                        .collect(Collectors.joining(", ", "{", "}"));
        };
    }

    @Test
    void every_method_of_every_resource_is_described() {
        for (var kind : ResourceKind.values()) {
            for (var method : Method.values()) {
                boolean described = Operations.of(kind).stream().anyMatch(operation -> operation.method() == method);
                boolean answered = method != Method.HEAD && ResourceMethods.allows(kind, method);
                assertThat(described).as("%s %s", method, kind).isEqualTo(answered);
            }
        }
    }

    @Test
    void paths_have_names_of_their_own() {
        var paths = List.of(
                List.of("books"),
                List.of("Books"),
                List.of("books", "new"),
                List.of("booksNew"),
                List.of("a", "b"),
                List.of("aB"),
                List.of("a_b"),
                List.of("date"),
                List.of("bücher"),
                List.of("bucher"),
                List.of("日本"),
                List.of("1"),
                List.of("root"),
                List.<String>of());
        assertThat(paths.stream().map(ComponentNames::of))
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[A-Z]\\w*"));
        assertThat(ComponentNames.of(List.of("books"))).isEqualTo("Books");
        assertThat(ComponentNames.of(List.of("date"))).isNotEqualTo("Date");
    }
}
