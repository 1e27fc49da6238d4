package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import graphql.introspection.IntrospectionQuery;
import graphql.introspection.IntrospectionResultToSchema;
import graphql.language.AstPrinter;
import graphql.parser.Parser;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The query by which clients and tools get to know a schema.
@WithMongo
class IntrospectionTest {
    private static final String SCHEMA =
            "interface Named { name: String } type Item implements Named { name: String price(in: Cur = EUR): Decimal128 made: DateTime!"
                    + " tags: [String!]! by: Maker old: Int @deprecated(reason: \\\"gone\\\") } type Maker implements Named { name: String id: ObjectId }"
                    + " union Any = Item | Maker enum Cur { EUR USD } input By { name: String n: Long = 5 at: Timestamp like: Regex any: BsonDocument }"
                    + " type Query { items(by: By, max: Int = 3): [Item] any: [Any] }";

    @Test
    void the_document_of_introspection_describes_the_whole_schema(TestMongo mongo) {
        try (var gateway = GraphqlGateway.start(mongo, "app-cache-ttr: 600000")) {
            var client = new GraphqlClient(gateway, "admin");
            client.define("shop", """
                    {"schema": "$schema", "mappings": {
                       "Named": {"$typeResolver": {"Item": "field-exists(price)", "Maker": "true"}},
                       "Any": {"$typeResolver": {"Item": "field-exists(price)", "Maker": "true"}},
                       "Query": {"items": {"db": "$db", "collection": "c"}}}}
                    """.replace("$schema", SCHEMA).replace("$db", mongo.databaseName()));
            var response = client.ask("shop", IntrospectionQuery.INTROSPECTION_QUERY);
            assertStatus(200, response);
            var answer = BsonDocument.parse(response.body());
            assertThat(answer.keySet()).containsExactly("data");
            Map<String, Object> data = Document.parse(answer.getDocument("data").toJson());
            var described = AstPrinter.printAst(new IntrospectionResultToSchema().createSchemaDefinition(data));
            var names = new Parser()
                    .parseDocument(SCHEMA.replace("\\\"", "\"")).getDefinitions().stream()
                            .map(definition -> ((graphql.language.NamedNode<?>) definition).getName())
                            .toList();
            assertThat(List.of("Named", "Item", "Maker", "Any", "Cur", "By", "Query"))
                    .isEqualTo(names);
            assertThat(described)
                    .contains("interface Named")
                    .contains("type Item implements Named")
                    .contains("price(in: Cur = EUR): Decimal128")
                    .contains("made: DateTime!")
                    .contains("tags: [String!]!")
                    .contains("old: Int @deprecated(reason: \"gone\")")
                    .contains("union Any = Item | Maker")
                    .contains("enum Cur")
                    .contains("input By")
                    .contains("n: Long = ")
                    .contains("items(by: By, max: Int = 3): [Item]")
                    .contains("scalar ObjectId", "scalar Timestamp", "scalar Regex", "scalar BsonDocument");
            assertThat(client.answer("shop", "{__type(name: \"Maker\"){kind fields{name type{name}}}}")
                            .getDocument("data"))
                    .isEqualTo(BsonDocument.parse("""
                            {"__type": {"kind": "OBJECT", "fields": [
                              {"name": "name", "type": {"name": "String"}}, {"name": "id", "type": {"name": "ObjectId"}}]}}
                            """));
        }
    }
}
