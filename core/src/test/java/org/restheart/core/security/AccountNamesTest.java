package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.IndexOptions;
import java.util.List;
import java.util.Locale;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Accounts whose names are another property than their id.
@WithMongo
class AccountNamesTest {
    private static final String REALM =
            "mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4, prop-id: %s}\n";

    @AutoClose
    private TestGateway gateway;

    private TestMongo mongo;

    @BeforeEach
    void start(TestMongo deployment) {
        mongo = deployment;
        gateway = TestGateway.startWithRealm(deployment, REALM.formatted("email"), "");
        gateway.insertUsers(
                "{_id: 'r', email: 'admin', roles: ['admin']}", "{_id: 'e', email: 'eve', roles: ['user']}");
        gateway.permit(
                "user",
                "path-prefix('/users')",
                "{allowWriteMode: true, allowBulkPatch: true, allowManagementRequests: true}");
    }

    private TestClient eve() {
        return gateway.user("eve").with("Content-Type", "application/json");
    }

    private void assertRootMayStillEnter() {
        assertThat(gateway.collection("users").countDocuments(eq("email", "admin")))
                .isEqualTo(1);
        assertStatus(200, gateway.user("admin").get("/users/r"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "PATCH | /users/e | {\"email\": \"admin\"}",
                "PATCH | /users/e | {\"$set\": {\"email\": \"admin\"}}",
                "PATCH | /users/e | [{\"$set\": {\"email\": \"admin\"}}]",
                "PATCH | /users/e | {\"email\": [\"x\", \"admin\"]}",
                "PATCH | /users/e | {\"$rename\": {\"other\": \"email\"}}",
                "PUT   | /users/e?wm=upsert | {\"email\": \"admin\", \"password\": \"pw\", \"roles\": [\"user\"]}",
                "PUT   | /users/n?wm=upsert | {\"email\": \"admin\", \"password\": \"pw\", \"roles\": [\"user\"]}",
                "POST  | /users | {\"email\": \"admin\", \"password\": \"pw\", \"roles\": [\"user\"]}",
            })
    void a_write_that_would_take_a_name_is_409(String method, String path, String content) {
        gateway.collection("users").updateOne(eq("_id", "e"), BsonDocument.parse("{$set: {other: 'admin'}}"));
        assertStatus(409, eve().send(method, path, content));
        assertRootMayStillEnter();
    }

    @Test
    void nor_do_many_documents_and_lines_take_one() {
        eve().send("PATCH", "/users/*?filter=" + TestGateway.encode("{\"_id\": \"e\"}"), "{\"email\": \"admin\"}");
        eve().send(
                        "POST",
                        "/users",
                        "[{\"_id\": \"a\", \"email\": \"admin\", \"password\": \"pw\"}, {\"_id\": \"b\"}]");
        assertRootMayStillEnter();
        gateway.user("eve")
                .with("Content-Type", "application/x-ndjson")
                .send("POST", "/users", "{\"_id\": \"c\", \"email\": \"admin\", \"password\": \"pw\"}\n");
        gateway.user("eve").with("Content-Type", "text/csv").send("POST", "/users", "_id,email,password\nd,admin,pw\n");
        assertRootMayStillEnter();
    }

    /// Whoever may choose an id at sign-up would change the password of the account whose ObjectId it spells.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "path-template('/users/{id}') and equals(@user._id, ${id})",
                "path-template('/users/{id}') and in(value=${id}, array=@user._id)",
                "path-template('/users/{id}') and contains(search=@user._id, value=${id})",
                "path-suffix(@user._id)",
            })
    void an_account_is_not_the_one_whose_id_of_another_type_is_spelt_like_its_own(String rule) {
        var digits = "507f1f77bcf86cd799439011";
        gateway.insertUsers(
                "{_id: {$oid: '" + digits + "'}, email: 'ada', roles: ['own']}",
                "{_id: '" + digits + "', email: 'mallory', roles: ['own']}",
                "{_id: '7', email: 'seven', roles: ['own']}");
        gateway.permit("own", rule, "{}");
        assertStatus(200, gateway.user("ada").get("/users/" + digits));
        for (var spelling :
                List.of(digits, digits + "/", digits.toUpperCase(Locale.ROOT), "%35" + digits.substring(1))) {
            assertStatus(403, gateway.user("mallory").get("/users/" + spelling));
        }
        assertStatus(200, gateway.user("mallory").get("/users/" + digits + "?id_type=STRING"));
        assertStatus(403, gateway.user("seven").get("/users/7?id_type=NUMBER"));
        assertStatus(200, gateway.user("seven").get("/users/7"));
    }

    /// Whoever may choose an id may choose the same text for a name.
    @Test
    void nor_if_its_name_is_spelt_so_too_or_its_token_has_all_of_its_properties() {
        var tokens = "jwtConfigProvider: {key: " + TokenFixture.KEY + "}\njwtAuthenticationMechanism: {enabled: true}\n"
                + "jwtTokenManager: {enabled: true, account-properties-claims: [_id, email, _etag]}\n"
                + "authTokenService: {enabled: true, uri: /token}\n";
        var digits = "507f1f77bcf86cd799439012";
        try (var other = TestGateway.startWithRealm(mongo, REALM.formatted("email"), tokens)) {
            other.insertUsers(
                    "{_id: {$oid: '" + digits + "'}, email: 'ada', roles: ['own']}",
                    "{_id: '" + digits + "', email: '" + digits + "', roles: ['own']}",
                    "{_id: '7', email: 'seven', roles: ['own']}");
            other.collection("users").insertOne(BsonDocument.parse("{_id: 7}"));
            other.permit("own", "path-template('/users/{id}') and equals(@user._id, ${id})", "{}");
            var bearer = other.anonymous().with("Authorization", "Bearer " + TokenFixture.token(other.user("seven")));
            assertStatus(200, bearer.get("/users/7"));
            assertStatus(403, bearer.get("/users/7?id_type=NUMBER"));
            assertStatus(403, other.user(digits).get("/users/" + digits));
            assertStatus(200, other.user(digits).get("/users/" + digits + "?id_type=STRING"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"profile\": {\"email\": \"bob\"}, \"userid\": \"b\", \"password\": \"pw\"} | false",
                "{\"profile.email\": \"bob\", \"password\": \"pw\"} | false",
                "{\"profile\": {\"email\": 5}, \"password\": \"pw\"} | true",
                "{\"profile\": {}, \"password\": \"pw\"} | true",
            })
    void a_name_within_a_property_is_found(String account, boolean isWarnedOf) {
        try (var other = TestGateway.startWithRealm(mongo, REALM.formatted("profile.email"), "")) {
            other.insertUsers("{_id: 'p', profile: {email: 'admin'}, roles: ['admin']}");
            var made = other.user("admin").post("/users", account);
            assertStatus(201, made);
            assertThat(made.body().contains("nobody can log in")).isEqualTo(isWarnedOf);
        }
    }

    @Test
    void accounts_without_a_name_do_not_exclude_each_other() {
        assertStatus(201, eve().send("POST", "/users", "{\"_id\": \"a\", \"roles\": []}"));
        assertStatus(201, eve().send("POST", "/users", "{\"_id\": \"b\", \"email\": null, \"roles\": []}"));
        assertStatus(201, eve().send("POST", "/users", "{\"_id\": \"c\", \"email\": null, \"roles\": []}"));
    }

    @Test
    void the_last_root_account_keeps_a_name_with_which_somebody_can_log_in() {
        var root = gateway.user("admin").with("Content-Type", "application/json");
        assertStatus(409, root.send("PATCH", "/users/r", "{\"email\": 5}"));
        assertStatus(409, root.send("PATCH", "/users/r", "{\"email\": \"a:b\"}"));
        assertRootMayStillEnter();
    }

    @Test
    void the_index_is_made_again_when_it_has_been_removed() {
        var name = "restheart_account_names";
        assertStatus(204, gateway.user("admin").delete("/users/_indexes/" + name));
        await().untilAsserted(() -> {
            assertStatus(200, gateway.user("admin").get("/users/r"));
            assertThat(gateway.collection("users").listIndexes())
                    .anyMatch(index -> name.equals(index.getString("name")));
        });
    }

    @Test
    void accounts_that_share_names_already_let_nobody_in_and_the_log_says_so() {
        var users = gateway.collection("users");
        users.dropIndexes();
        gateway.insertUsers("{_id: 'x', email: 'eve', roles: ['user']}");
        var config =
                TestGateway.config(mongo.connectionString(), gateway.database().getName(), REALM.formatted("email"));
        try (var log = new LogLines();
                var other = Gateway.start(config)) {
            var client = TestClient.of(other.address());
            assertStatus(401, client.as("eve", "pw").get("/users/e"));
            assertStatus(401, client.as("admin", "pw").get("/users/r"));
            assertThat(log.all())
                    .anyMatch(line -> line.startsWith("ERROR Nobody can log in by email")
                            && line.contains("several accounts have the same name"));
            users.deleteOne(eq("_id", "x"));
            await().untilAsserted(
                            () -> assertStatus(200, client.as("admin", "pw").get("/users/r")));
        }
    }

    @Test
    void a_unique_index_of_the_operator_is_enough() {
        var users = gateway.collection("users");
        users.dropIndexes();
        users.updateMany(new BsonDocument(), BsonDocument.parse("{$unset: {x: 1}}"));
        users.deleteMany(BsonDocument.parse("{email: null}"));
        users.createIndex(BsonDocument.parse("{email: -1}"), new IndexOptions().unique(true));
        var config =
                TestGateway.config(mongo.connectionString(), gateway.database().getName(), REALM.formatted("email"));
        try (var other = Gateway.start(config)) {
            assertStatus(200, TestClient.of(other.address()).as("admin", "pw").get("/users/r"));
            assertThat(users.listIndexes()).hasSize(2);
        }
    }
}
