package org.restheart.core.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.mcp.McpClient.documents;
import static org.restheart.core.mcp.McpClient.names;

import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The Model Context Protocol and the Data API by MongoDB's names, wherever databases and collections are mounted.
@WithMongo
class McpMountsTest {
    private static final String SERVICES = "mcp: {enabled: true}\ndataApi: {enabled: true, create-collections: true}\n";

    private static String in(String database, String more) {
        return "{\"database\": \"" + database + "\", \"collection\": \"books\"" + more + "}";
    }

    /// A schema `book` with one field, and a collection that names a schema.
    private static void declareSchema(TestGateway gateway, String field, String reference) {
        gateway.insert("_schemas", "{_id: 'book', properties: {%s: {type: 'integer'}}}".formatted(field));
        gateway.insert("books", "{_id: 1, title: 'a'}");
        gateway.insert("_properties", "{_id: '_properties.books', jsonSchema: {%s}}".formatted(reference));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [{what: /$db, where: /}]
            [{what: /$db, where: /shop/data}]
            [{what: '*', where: /}]
            [{what: '*', where: /all/of/it}]
            [{what: /$db/books, where: /the/books}, {what: /$db, where: /shop}]
            [{what: '/{db}/{*}', where: '/tenants/{db}/{*}'}]
            """)
    void tools_find_collections_and_their_schemas_by_names(String mounts, TestMongo mongo) {
        try (var gateway = TestGateway.startMounted(mongo, mounts, SERVICES)) {
            var db = gateway.database().getName();
            declareSchema(gateway, "pages", "schemaId: 'book'");
            var admin = new McpClient(gateway.as("admin"));
            assertThat(documents(admin.call("list-databases", "{}"))
                            .getFirst()
                            .getArray("databases")
                            .toString())
                    .contains(db);
            var listed = documents(admin.call("list-collections", "{\"database\": \"" + db + "\"}"));
            assertThat(names(listed.getFirst().getArray("collections"))).contains("books");
            var resources = admin.result("resources/list", "{}").toString();
            assertThat(resources).contains("restheart://" + db + "/books/schema");
            assertThat(documents(admin.call("find", in(db, "")))).hasSize(1);
            var schema = documents(admin.call("collection-schema", in(db, ""))).getFirst();
            assertThat(schema.getDocument("sources"))
                    .isEqualTo(BsonDocument.parse("{storedSchema: 'book', sample: 1}"));
            assertThat(names(schema.getArray("fields"))).containsExactlyInAnyOrder("_id", "title", "pages");
        }
    }

    @Test
    void the_schema_is_that_of_the_own_database_not_of_the_one_mounted_above(TestMongo mongo) {
        try (var other = TestGateway.start(mongo, "")) {
            declareSchema(other, "foreign", "schemaId: 'book'");
            var above = other.database().getName();
            var mounts = "[{what: /$db/books, where: /the/books}, {what: /" + above + ", where: /the}]";
            assertThat(fields(mongo, mounts, "schemaId: 'book'")).containsExactlyInAnyOrder("_id", "title");
            assertThat(fields(mongo, mounts, "schemaId: 'book', schemaStoreDb: '" + above + "'"))
                    .as("unless it is named")
                    .containsExactlyInAnyOrder("_id", "title", "foreign");
        }
    }

    private static List<String> fields(TestMongo mongo, String mounts, String reference) {
        try (var gateway = TestGateway.startMounted(mongo, mounts, SERVICES)) {
            declareSchema(gateway, "pages", reference);
            var schema = new McpClient(gateway.as("admin"))
                    .call("collection-schema", in(gateway.database().getName(), ""));
            return names(documents(schema).getFirst().getArray("fields"));
        }
    }

    @Test
    void a_new_database_is_made_where_it_is_mounted_and_no_other(TestMongo mongo) {
        var own = mongo.newDatabaseName();
        var above = mongo.newDatabaseName();
        for (var mounts : List.of(
                "[{what: /" + own + ", where: /shop/data}]",
                "[{what: /" + own + "/books, where: /the/books}, {what: /" + above + ", where: /the}]")) {
            try (var gateway = TestGateway.startMounted(mongo, mounts, SERVICES)) {
                var body = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"books\", \"document\": {}}";
                var inserted =
                        gateway.as("admin").post("/app/any/endpoint/data/v1/action/insertOne", body.formatted(own));
                assertThat(inserted.statusCode()).as(mounts + inserted.body()).isEqualTo(201);
                assertThat(mongo.client().listDatabaseNames()).doesNotContain(above);
            }
        }
    }
}
