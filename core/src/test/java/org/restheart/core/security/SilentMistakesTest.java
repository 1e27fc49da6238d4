package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Writes of accounts, permissions and keys that mean something else than is meant: refused, or warned of.
@WithMongo
class SilentMistakesTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(
                mongo,
                "apiKeyAuthMechanism: {enabled: true}\n"
                        + "apiKeyRealm: {keys-db: $db, keys-collection: apikeys, pepper:"
                        + " salt-and-pepper-of-more-than-32-bytes}\n");
    }

    private static TestClient admin() {
        return gateway.as("admin");
    }

    private static String warning(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
        return String.join(" | ", answer.headers().allValues("Warning"));
    }

    @SafeVarargs
    private static void assertRefused(String why, HttpResponse<String>... answers) {
        for (var answer : answers) {
            assertStatus(400, answer);
            assertThat(answer.body()).contains(why);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'role': 'editor', 'predicate': 'true'} | role is for files",
                "{'roles': 'editor', 'predicate': 'true'} | roles must be a list of texts",
                "{'roles': ['editor'], 'predicate': 'pathprefix(/)'} | predicate does not parse",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readfilter': {'a': 1}}} |"
                        + " mongo.readfilter is unknown; did you mean mongo.readFilter?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'prioritty': 1} | prioritty is unknown; did you"
                        + " mean priority?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'readFilter': {'a': 1}} | did you mean"
                        + " mongo.readFilter, within the object mongo?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'readfilter': {'a': 1}} | did you mean"
                        + " mongo.readFilter, within the object mongo?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'filter': {'a': 1}}} | mongo.filter is"
                        + " unknown",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'priority': 'high'} | priority must be a number",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': {'a': '@usr._id'}}} |"
                        + " unknown variable @usr._id; did you mean @user?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': {'a': '%%user.id'}}} |"
                        + " unknown variable %%user.id; did you mean @user._id?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': {'a': '@rnd'}}} |"
                        + " unknown variable @rnd; did you mean @rnd(128)?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'mergeRequest': {'a': '%USERS'}}} |"
                        + " unknown variable %USERS; did you mean %USER?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'mergeRequest': {'$set': {'a':"
                        + " '@user._id'}}}} | mongo.mergeRequest has the operator $set; it names properties and their"
                        + " values",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'writeFilter': {'$ore': []}}} | unknown"
                        + " operator $ore at mongo.writeFilter; did you mean $or?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': {'a': {'$gtt': 1}}}} |"
                        + " unknown operator $gtt at mongo.readFilter.a; did you mean $gt?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'writeFilter': {'$or': [{'b': 1}, {'a':"
                        + " {'_$eqq': 1}}]}}} | unknown operator $eqq at mongo.writeFilter.$or[1].a; did you mean $eq?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': {'a': {'$not':"
                        + " {'$elemMatch': {'b': {'$lessthan': 1}}}}}}} | unknown operator $lessthan at",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': {'a': {'$elemMatch':"
                        + " {'$gtt': 1}}}}} | unknown operator $gtt at mongo.readFilter.a.$elemMatch",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': {'a': {'$user': 1}}}} | did"
                        + " you mean @user?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': {'a': '$user._id'}}} | did"
                        + " you mean @user._id?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': {'a': {'$in': ['$USER']}}}}"
                        + " | did you mean %USER?",
                "{'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': {'a': {'$ne':"
                        + " '@usr._id'}}}} | unknown variable @usr._id",
            })
    void a_permission_without_effect_is_refused(String permission, String why) {
        var json = permission.replace('\'', '"');
        long before = gateway.collection("acl").countDocuments();
        assertRefused(
                why,
                admin().post("/acl", json),
                admin().post("/acl", "[" + json + "]"),
                admin().put("/acl/x?wm=upsert", json));
        assertThat(gateway.collection("acl").countDocuments()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'$expr': {'$gt': ['$user.n', {'$size': '$list'}]}}",
                "{'a': {'b': 1, '$x': 1}}",
                "{'a': {'$ref': 'c', '$id': 1}}",
                "{'a': {'$elemMatch': {'$or': [{'b': {'$gte': 1}}, {'c': {'$not': {'$regex': 'x', '$options':"
                        + " 'i'}}}]}}}",
                "{'a': {'$in': '@user.roles', '$nin': ['$5', null]}, 'b': {'$eq': {'$any': 1}}}",
                "{'a': {'$geoWithin': {'$centerSphere': [[1, 2], 3]}}, 'b': {'$bitsAllSet': 1}, 'c': {'$not':"
                        + " '@user.a'}}",
            })
    void a_filter_with_operators_at_any_depth_is_accepted(String filter) {
        var json = "{'_id': 'p', 'roles': ['editor'], 'predicate': 'method(GET)', 'mongo': {'readFilter': %s}}"
                .formatted(filter)
                .replace('\'', '"');
        assertStatus(201, admin().post("/acl", json));
        assertStatus(204, admin().delete("/acl/p"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'_id': 'n', 'password': 'pw', 'roles': 'editor'} | roles must be a list of texts",
                "{'_id': 'n', 'password': 'pw', 'roles': ['editor', 1]} | roles must be a list of texts",
                "{'_id': 'n', 'password': 'pw', 'role': ['editor']} | role has no meaning for accounts; did you mean"
                        + " roles?",
                "{'_id': 'n', 'passwrd': 'abc', 'roles': []} | passwrd has no meaning for accounts; did you mean"
                        + " password?",
                "{'_id': 'n', 'pwd': 'abc', 'roles': []} | pwd has no meaning for accounts; did you mean password?",
                "{'_id': 'n', 'Password': 'abc', 'roles': []} | Password has no meaning for accounts; did you mean"
                        + " password?",
            })
    void an_account_that_could_not_log_in_is_refused(String account, String why) {
        var json = account.replace('\'', '"');
        var change = json.replace("\"_id\": \"n\", ", "");
        assertRefused(
                why,
                admin().post("/users", json),
                admin().post("/users", "[" + json + "]"),
                admin().put("/users/n?wm=upsert", json),
                admin().patch("/users/n?wm=upsert", change),
                admin().patch("/users/n?wm=upsert", "{\"$set\": " + change + "}"));
        assertThat(gateway.collection("users").countDocuments(eq("_id", "n"))).isZero();
    }

    @Test
    void properties_of_the_collection_of_accounts_can_be_changed() {
        var answer = admin().patch("/users", "{\"descr\": \"those who log in\"}");
        assertStatus(200, answer);
        assertThat(admin().get("/users/_meta").body()).contains("those who log in");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'filter': {'a': 1} | mongo.readFilter",
                "'query': {'a': 1} | mongo.readFilter",
                "'restrict': {'a': 1} | mongo.readFilter",
                "'projection': {'a': 0} | mongo.projectResponse",
                "'fields': ['a'] | mongo.projectResponse",
                "'methods': ['GET'] | method(GET)",
                "'enabled': false | is deleted",
                "'mongo': {'filter': {'a': 1}} | did you mean mongo.readFilter",
            })
    void a_restriction_that_would_not_hold_is_refused(String member, String advice) {
        var json = "{'roles': ['editor'], 'predicate': 'path(/odd)', %s}"
                .formatted(member)
                .replace('\'', '"');
        gateway.collection("acl").insertOne(BsonDocument.parse("{_id: 'patched', roles: ['x'], predicate: 'true'}"));
        try {
            assertRefused(
                    advice,
                    admin().post("/acl", json),
                    admin().put("/acl/odd?wm=upsert", json),
                    admin().patch("/acl/patched", json));
        } finally {
            gateway.collection("acl").deleteOne(BsonDocument.parse("{_id: 'patched'}"));
        }
    }

    @Test
    void other_keys_of_a_permission_are_stored_and_warned_of() {
        var json = "{\"roles\": [\"none\"], \"predicate\": \"path('/odd')\", \"owner\": \"me\", \"comment\": \"x\"}";
        var written = admin().put("/acl/noted?wm=upsert", json);
        assertThat(warning(written)).contains("owner has no effect").doesNotContain("comment");
        assertThat(written.body()).contains("_warnings", "owner has no effect");
        assertThat(warning(admin().patch("/acl/noted", "{\"$set\": {\"ticket\": 7}}")))
                .contains("ticket has no effect");
        assertThat(warning(admin().patch("/acl/noted", "{\"description\": \"x\", \"_note\": 7}")))
                .isEmpty();
        assertThat(admin().get("/acl/noted").body()).contains("\"owner\"", "\"ticket\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "path(/books/*) | path-prefix('/books') covers what is below",
                "path-prefix('/books/*') or path(/films) | path-prefix('/books') covers what is below",
                "path-prefix(http://localhost:8080/books) | matches no request",
                "path('/books/*') and method(DELETE) |",
                "path-prefix('/books') |",
                "path-prefix('/$db/books') | it may be that /books is meant",
                "path('/$db/books/1') and method(GET) | it may be that /books/1 is meant",
                "path-prefix('/$db') | it may be that / is meant",
                "path-prefix('/ping') or path('/token/cookie') |",
            })
    void a_path_that_matches_something_else_is_warned_of(String predicate, String warning) {
        var json = "{\"roles\": [\"none\"], \"predicate\": \""
                + predicate.replace("$db", gateway.database().getName()) + "\"}";
        var told = warning(admin().put("/acl/path?wm=upsert", json));
        if (warning == null) {
            assertThat(told).isEmpty();
        } else {
            assertThat(told).contains(warning);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'name': 'lim', 'days': 9, 'role': ['editor']} | role: unknown; did you mean roles?",
                "{'name': 'lim', 'days': 9, 'form': ['10.0.0.0/8']} | form: unknown; did you mean from?",
                "{'name': 'lim', 'days': 100000} | days: must be at most 365",
                "{'name': 'lim', 'expiresAt': '2999-01-01T00:00:00Z'} | expiresAt: must be within 365 days",
                "{'name': 'lim', 'days': 9, 'disabled': true} | disabled: unknown; it may have account, days,",
            })
    void a_key_is_not_made_with_a_limit_that_would_not_hold(String content, String why) {
        var refused = gateway.as("ada").post("/_apikeys", content.replace('\'', '"'));
        assertStatus(400, refused);
        assertThat(refused.body()).contains(why);
        var keys = gateway.as("ada").get("/_apikeys");
        assertStatus(200, keys);
        assertThat(keys.body()).doesNotContain("lim");
    }

    @Test
    void a_key_is_not_changed_by_what_cannot_change() {
        var made = gateway.as("ada").post("/_apikeys", "{\"name\": \"k\", \"days\": 9}");
        var path = "/_apikeys/"
                + BsonDocument.parse(made.body()).getString("handle").getValue();
        var refused = gateway.as("ada").patch(path, "{\"name\": \"l\", \"roles\": []}");
        assertStatus(400, refused);
        assertThat(refused.body()).contains("roles: unknown");
        assertStatus(204, gateway.as("ada").patch(path, "{\"name\": \"l\"}"));
    }

    @Test
    void an_account_that_loses_its_password_is_warned_of() {
        gateway.insertUsers("{_id: 'loses', roles: ['x']}");
        assertThat(warning(admin().put("/users/loses", "{\"roles\": [\"x\", \"y\"]}")))
                .contains("the account has no password");
        assertThat(warning(admin().patch("/users/loses", "{\"roles\": [\"x\"]}")))
                .isEmpty();
        assertThat(warning(admin().put("/users/loses", "{\"roles\": [\"x\"], \"password\": \"again\"}")))
                .isEmpty();
        assertStatus(403, gateway.anonymous().as("loses", "again").get("/users"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"username\": \"eve\", \"password\": \"pw\", \"roles\": []}",
                "{\"_id\": 42, \"password\": \"pw\", \"roles\": []}",
                "{\"_id\": \"e:ve\", \"password\": \"pw\", \"roles\": []}",
            })
    void an_account_whose_name_nobody_can_log_in_with_is_warned_of(String account) {
        var made = admin().post("/users", account);
        assertThat(warning(made)).contains("nobody can log in with this account");
        assertThat(made.body()).contains("_warnings", "nobody can log in with this account");
        assertThat(warning(admin().post("/users?wm=upsert", "[" + account + "]")))
                .contains("nobody can log in with this account");
        gateway.collection("users").deleteMany(BsonDocument.parse("{roles: []}"));
    }

    @Test
    void an_account_that_can_log_in_is_not_warned_of() {
        assertThat(warning(admin().post("/users", "{\"_id\": \"eve\", \"password\": \"pw\", \"roles\": []}")))
                .isEmpty();
        assertThat(warning(admin().put("/users/adam?wm=upsert", "{\"password\": \"pw\", \"roles\": []}")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"$unauthenticatd", "$Unauthenticated", "unauthenticated"})
    void a_role_that_is_nearly_that_of_anonymous_requests_is_warned_of(String role) {
        var written = admin().put(
                        "/acl/nearly?wm=upsert", "{\"roles\": [\"" + role + "\"], \"predicate\": \"path('/books')\"}");
        assertThat(warning(written))
                .contains("the role of requests without credentials is $unauthenticated")
                .contains("for accounts with the role " + role);
    }

    @Test
    void a_role_that_seems_to_stand_for_all_accounts_is_warned_of() {
        var written = admin().put(
                        "/acl/all?wm=upsert", "{\"roles\": [\"$authenticated\"], \"predicate\": \"path('/books')\"}");
        assertThat(warning(written)).contains("the role $authenticated stands for nobody by itself");
        assertStatus(204, admin().delete("/acl/all"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"$unauthenticated", "authenticated", "editor"})
    void another_role_is_not_warned_of(String role) {
        var json = "{\"roles\": [\"" + role + "\"], \"predicate\": \"path('/books')\"}";
        assertThat(warning(admin().put("/acl/far?wm=upsert", json))).isEmpty();
        assertStatus(204, admin().delete("/acl/far"));
    }

    @Test
    void a_predicate_for_a_path_that_nothing_has_is_warned_of(TestMongo mongo) {
        try (var mounted =
                TestGateway.startMounted(mongo, "[{what: /$db/acl, where: /rules}, {what: /$db, where: /data}]", "")) {
            for (var path : List.of("/books", "/data/$db/books", "/rule")) {
                var named = path.replace("$db", mounted.database().getName());
                assertThat(warning(mounted.as("admin").post("/rules", permission(named))))
                        .as(path)
                        .contains(named
                                + (path.equals("/data/$db/books") ? " is that of the collection" : " matches no"));
            }
            for (var path : List.of("/data", "/data/books", "/rules/x", "/metrics/requests", "/roles")) {
                assertThat(warning(mounted.as("admin").post("/rules", permission(path))))
                        .as(path)
                        .isEmpty();
            }
        }
    }

    private static String permission(String path) {
        return "{\"roles\": [\"none\"], \"predicate\": \"path-prefix('" + path + "')\"}";
    }

    @Test
    void what_is_wrong_is_told_with_what_is_meant() {
        var unquoted = admin().post("/acl", "{\"roles\": [\"x\"], \"predicate\": \"path-template(/books/{id})\"}");
        assertStatus(400, unquoted);
        assertThat(unquoted.body()).contains("a value with braces is quoted");
        var method = admin().post("/_access/check", "{\"path\": \"/books\", \"method\": \"get\"}");
        assertStatus(400, method);
        assertThat(method.body()).contains("method is get", "such as GET");
    }

    @Test
    void a_pipeline_that_is_sent_as_an_array_is_told_how_it_is_sent() {
        gateway.insert("piped", "{_id: 1}");
        var answer = admin().post("/piped/_aggrs", "[{\"$match\": {}}]");
        assertStatus(400, answer);
        assertThat(answer.body()).contains("a pipeline is sent as");
    }

    @Test
    void a_variable_within_a_type_is_no_mistake_of_a_stored_pipeline() {
        var answer = admin().send("PUT", "/typed", """
            {"aggrs": [{"uri": "one", "stages": [{"$match": {"_id": {"_$oid": {"$var": "id"}}}}]}]}\
            """);
        assertThat(warning(answer)).isEmpty();
    }

    @Test
    void that_accounts_are_not_aggregated_is_what_a_check_says_too() {
        for (var path : List.of("/users/_aggrs/x", "/users/_aggrs")) {
            var method = path.endsWith("x") ? "GET" : "POST";
            var answer = BsonDocument.parse(
                    admin().post("/_access/check", "{\"path\": \"%s\", \"method\": \"%s\"}".formatted(path, method))
                            .body());
            assertThat(answer.getString("decision").getValue()).isEqualTo("refused");
            assertThat(answer.getInt32("status").getValue()).isEqualTo(403);
            assertThat(answer.getString("reason").getValue()).contains("Accounts cannot be aggregated");
        }
    }
}
