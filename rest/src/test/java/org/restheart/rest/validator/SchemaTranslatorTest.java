package org.restheart.rest.validator;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.http.ProblemException;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.rest.schema.SchemaForm;
import org.restheart.rest.schema.SchemaKey;
import org.restheart.rest.schema.Schemas;
import org.restheart.rest.validator.SchemaTranslator.TranslatedSchema;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Translations compared with the gateway's own validator, over random documents in a real MongoDB.
@WithMongo
class SchemaTranslatorTest {
    @AutoClose
    private static final BackgroundTasks TASKS = new BackgroundTasks();

    /// More by `-Dvalidators.schemas`.
    private static final int SCHEMAS = Integer.getInteger("validators.schemas", 30);

    private static final int DOCUMENTS = 80;

    private final TestMongo mongo;

    private final Schemas schemas;

    SchemaTranslatorTest(TestMongo mongo) {
        this.mongo = mongo;
        this.schemas = new Schemas(TASKS, mongo.client(), Duration.ZERO, _ -> true);
    }

    @BeforeEach
    void empty() {
        mongo.database().getCollection("_schemas").drop();
        mongo.database().getCollection("c").drop();
    }

    private void store(String id, BsonDocument schema) {
        mongo.database()
                .getCollection("_schemas", BsonDocument.class)
                .insertOne(SchemaForm.stored(mongo.databaseName(), new BsonString(id), schema)
                        .append("_id", new BsonString(id)));
    }

    private TranslatedSchema translate(String id) {
        var source = schemas.find(new SchemaKey(mongo.databaseName(), new BsonString(id)))
                .orElseThrow();
        return SchemaTranslator.translate(
                source.schema(), source.key().uri(), source.key().idText(), schemas.referred(source));
    }

    private TranslatedSchema translate(BsonDocument schema) {
        store("s", schema);
        return translate("s");
    }

    private Set<BsonValue> admitted(TranslatedSchema translation) {
        var found = new HashSet<BsonValue>();
        mongo.database()
                .getCollection("c", BsonDocument.class)
                .find(new BsonDocument("$jsonSchema", translation.schema()))
                .forEach(document -> found.add(document.get("_id")));
        return found;
    }

    private static BsonDocument without(BsonDocument document, String... fields) {
        var copy = document.clone();
        List.of(fields).forEach(copy::remove);
        return copy;
    }

    @ParameterizedTest
    @CsvSource({"false, false, 11", "false, true, 12", "true, false, 13", "true, true, 14"})
    void what_the_gateway_admits_is_never_refused(boolean late, boolean extended, long seed) {
        var random = new RandomSchemas(seed);
        var documents = new ArrayList<BsonDocument>();
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(random.document(extended));
        }
        mongo.database().getCollection("c", BsonDocument.class).insertMany(documents);
        int refused = 0;
        int complete = 0;
        for (int i = 0; i < SCHEMAS; i++) {
            var schema = random.schema(late);
            if (late) {
                schema.append("$schema", new BsonString("http://json-schema.org/draft-07/schema#"));
            }
            var id = "s" + i;
            try {
                store(id, schema);
            } catch (ProblemException _) {
                continue; // not valid
            }
            var source = schemas.find(new SchemaKey(mongo.databaseName(), new BsonString(id)))
                    .orElseThrow();
            var check = schemas.checking(source);
            var translation = translate(id);
            Set<BsonValue> admitted;
            try {
                admitted = admitted(translation);
            } catch (MongoCommandException e) {
                throw new AssertionError(
                        schema.toJson() + "\n" + translation.schema().toJson(), e);
            }
            complete += translation.isComplete() ? 1 : 0;
            for (var document : documents) {
                boolean valid = check.apply(document).isEmpty()
                        || check.apply(without(document, "_etag")).isEmpty()
                        || check.apply(without(document, "_etag", "_id")).isEmpty();
                boolean held = admitted.contains(document.get("_id"));
                refused += held ? 0 : 1;
                assertThat(held || !valid)
                        .as(
                                "%s%nadmits %s%nbut not %s",
                                schema.toJson(),
                                document.toJson(),
                                translation.schema().toJson())
                        .isTrue();
                boolean loosened =
                        schema.toJson().contains("\"_") || schema.toJson().contains("Properties\"");
                assertThat(held && !valid && !extended && translation.isComplete() && !loosened)
                        .as(
                                "%s%nrefuses %s%nbut not %s, which is called complete",
                                schema.toJson(),
                                document.toJson(),
                                translation.schema().toJson())
                        .isFalse();
            }
        }
        assertThat(refused).isGreaterThan(DOCUMENTS * 5);
        assertThat(complete).isGreaterThan(5);
    }

    @Test
    void references_are_replaced_by_what_they_refer_to() {
        store(
                "address",
                BsonDocument.parse("{definitions: {zip: {type: 'string', pattern: '^\\\\d+$'}},"
                        + " type: 'object', required: ['zip'], properties: {zip: {_$ref: '#/definitions/zip'}}}"));
        var translation = translate(BsonDocument.parse("{properties: {home: {_$ref: 'address'}}}"));

        assertThat(translation.leftOut()).isEmpty();
        assertThat(translation.schema())
                .isEqualTo(BsonDocument.parse("{properties: {home: {bsonType: 'object', required: ['zip'],"
                        + " properties: {zip: {bsonType: 'string', pattern: '^\\\\d+\\\\z'}}}}}"));
    }

    @Test
    void what_cannot_be_expressed_is_named_with_its_path() {
        store("tree", BsonDocument.parse("{properties: {children: {items: {_$ref: '#'}}}}"));
        var translation = translate(BsonDocument.parse("{properties: {day: {type: 'string', format: 'date'},"
                + " t: {_$ref: 'tree'}, x: {not: {pattern: '\\\\p{L}'}}, y: {_$ref: 'none'}, 'a.b': {type: 'null'}}}"));

        assertThat(translation.leftOut().stream().map(TranslatedSchema.LeftOut::text))
                .containsExactly(
                        "s#/properties/day: format",
                        "tree#/properties/children/items: $ref, to a schema that it is a part of",
                        "s#/properties/x/not: pattern, which MongoDB may read otherwise: \\p{L}",
                        "s#/properties/y: $ref, to a schema that is not in a store",
                        "s#: properties, the field 'a.b'");
    }

    @Test
    void the_gateways_own_fields_are_admitted() {
        var translation = translate(BsonDocument.parse(
                "{type: 'object', properties: {n: {type: 'integer'}}, additionalProperties: false}"));

        assertThat(translation.schema())
                .isEqualTo(BsonDocument.parse("{bsonType: 'object', properties: {n: {bsonType: ['int', 'long']},"
                        + " _etag: {}, _id: {}}, additionalProperties: false}"));
    }

    @Test
    void an_extended_type_is_recognized_by_its_key() {
        var translation =
                translate(BsonDocument.parse("{properties: {owner: {type: 'object', properties: {_$oid: {type:"
                        + " 'string'}}, required: ['$oid'], additionalProperties: false}}}"));

        assertThat(translation.leftOut()).isEmpty();
        assertThat(translation.schema())
                .isEqualTo(BsonDocument.parse(
                        "{properties: {owner: {bsonType: 'objectId', additionalProperties: false}}}"));
    }
}
