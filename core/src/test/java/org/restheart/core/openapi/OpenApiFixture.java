package org.restheart.core.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A gateway with collections to describe, and its OpenAPI documents.
@WithMongo
abstract class OpenApiFixture {
    @AutoClose
    static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "openApi: {max-collections: 20}\n");
        gateway.permit("{_id: 'books', roles: ['editor'], predicate: \"path-prefix('/books') and method(GET, POST)\","
                + " mongo: {projectResponse: {cost: 0}}}");
        var by = new BsonDocument();
        IntStream.range(0, 40).forEach(i -> by.append("reader" + i + "@example.org", new BsonInt32(i)));
        for (int i = 0; i < 20; i++) {
            var book = BsonDocument.parse("{title: 'T" + i + "', year: " + (i % 2 == 0 ? "null" : "19" + (10 + i))
                    + ", cost: 1.5, tags: ['a'], at: {$date: '2026-01-01T00:00:00Z'}, address: {street: 's', zip: 1}}");
            gateway.collection("books").insertOne(book.append("by", by));
        }
        gateway.collection("books").createIndex(BsonDocument.parse("{year: 1}"));
        gateway.insert("unseen", "{_id: 1, hidden: 1}");
    }

    /// Leaves to every test what the first found.
    @AfterEach
    void clean() {
        var admin = gateway.as("admin");
        for (var permission : gateway.collection("acl").find().into(new ArrayList<>())) {
            var id = permission.getString("_id").getValue();
            if (!id.equals("books")) {
                admin.send("DELETE", "/acl/" + id, "");
            }
        }
        for (var name : gateway.database().listCollectionNames().into(new ArrayList<>())) {
            if (!Set.of("books", "unseen", "acl", "users", "_properties").contains(name)
                    && !name.startsWith("system.")) {
                gateway.collection(name).drop();
            }
        }
        gateway.collection("_properties").deleteMany(new BsonDocument());
        refresh();
    }

    /// What tests change in MongoDB is known to the gateway from now on.
    static void refresh() {
        var response = gateway.as("admin").post("/ic?db=" + gateway.database().getName(), "");
        assertStatus(200, response);
    }

    static BsonDocument valid(HttpResponse<String> response) {
        assertStatus(200, response);
        return OpenApiDocuments.checked(response.body());
    }

    BsonDocument document(String account, String path) {
        return valid(gateway.as(account).get(path));
    }

    static BsonDocument at(BsonDocument document, String... names) {
        for (var name : names) {
            assertThat(document).as(document.keySet().toString()).containsKey(name);
            document = document.getDocument(name);
        }
        return document;
    }

    static BsonDocument schema(BsonDocument document, String name) {
        return at(document, "components", "schemas", name);
    }

    static List<String> names(BsonDocument operation) {
        return operation.getArray("parameters", new BsonArray()).stream()
                .map(BsonValue::asDocument)
                .map(parameter -> parameter.containsKey("$ref")
                        ? parameter.getString("$ref").getValue().replaceFirst(".*/", "")
                        : parameter.getString("name").getValue())
                .toList();
    }

    static BsonDocument json(String json) {
        return BsonDocument.parse(json);
    }

    void permit(String id, String role, String predicate, String mongo) {
        gateway.as("admin")
                .post(
                        "/acl",
                        new BsonDocument("_id", new BsonString(id))
                                .append("roles", new BsonArray(List.of(new BsonString(role))))
                                .append("predicate", new BsonString(predicate))
                                .append("mongo", json(mongo))
                                .toJson());
    }
}
