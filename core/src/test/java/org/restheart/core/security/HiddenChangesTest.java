package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.IndexOptions;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Changes, indexes and variables must neither reveal hidden fields nor change protected ones. Each test is a former
/// vulnerability.
@WithMongo
class HiddenChangesTest {
    private static final String INDEXES = "/h/_indexes/";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, """
            filterOperatorsBlacklist: {enabled: true, blacklist: [$where]}
            aggregationSecurity: {enabled: true}
            """);
        gateway.insertUsers(
                "{_id: 'eve', roles: ['limited']}",
                "{_id: 'kim', roles: ['planter']}",
                "{_id: 'ned', roles: ['team'], team: {$ne: 'x'}}",
                "{_id: 'pat', roles: ['team'], team: {$regex: '.'}}",
                "{_id: 'lee', roles: ['team'], team: 'red', teams: ['red', 'blue']}",
                "{_id: 'non', roles: ['team']}",
                "{_id: 'doc', roles: ['team'], team: {a: 1, b: 2}}",
                "{_id: 'ops', roles: ['ops']}");
        gateway.permit("{_id: 'hides', roles: ['limited'], predicate: \"path-prefix('/h')\", mongo:"
                + " {projectResponse: {secret: 0, 'n.secret': 0, '2024': 0}, allowBulkPatch: true,"
                + " allowWriteMode: true, allowManagementRequests: true}}");
        gateway.permit("{_id: 'plants', roles: ['planter'], predicate: \"path-prefix('/p')\", mongo:"
                + " {writeFilter: {'n.k': 1}, checkWritten: true, allowWriteMode: true, allowBulkPatch: true}}");
        gateway.permit("{_id: 'teams', roles: ['team'], predicate: \"path-prefix('/t')\", mongo:"
                + " {readFilter: {team: '@user.team'}}}");
        gateway.permit("{_id: 'lists', roles: ['team'], predicate: \"path-prefix('/l')\", mongo:"
                + " {readFilter: {team: {$in: '@user.teams'}}}}");
        gateway.permit("{_id: 'not', roles: ['team'], predicate: \"path-prefix('/n')\", mongo:"
                + " {readFilter: {team: {$ne: '@user.team'}}}}");
        gateway.permit("{_id: 'either', roles: ['team'], predicate: \"path-prefix('/e')\", mongo:"
                + " {readFilter: {$or: [{team: '@user.team'}, {open: true}]}}}");
        gateway.permit("{_id: 'managers', roles: ['ops'], predicate: \"path-prefix('/users') or path-prefix('/i')\","
                + " mongo: {allowManagementRequests: true, readFilter: {_id: 'ops'}}}");
        gateway.permit("{_id: 'anonymous', roles: ['$unauthenticated'], predicate: \"path-prefix('/t')\", mongo:"
                + " {readFilter: {team: '@user.team'}}}");
        gateway.insert("p", "{_id: 'mine', n: [{k: 1}]}");
        for (var name : List.of("t", "l", "n", "e")) {
            gateway.insert(
                    name,
                    "{_id: 'red', team: 'red'}",
                    "{_id: 'green', team: 'green'}",
                    "{_id: 'none'}",
                    "{_id: 'null', team: null, open: true}",
                    "{_id: 'doc', team: {a: 1, b: 2}}");
        }
        gateway.insert("i", "{_id: 1, a: 1}");
        assertStatus(201, gateway.as("admin").put("/g", """
            {"aggrs": [
              {"uri": "match", "stages": [{"$match": {"team": {"$var": "v"}}}]},
              {"uri": "text", "stages": [{"$match": {"team": {"$eq": {"$var": "v"}, "$type": "string"}}}]},
              {"uri": "null", "stages": [{"$match": {"none": {"$eq": {"$var": "v"}, "$type": "string"}}}]},
              {"uri": "value", "stages": [{"$project": {"x": {"$var": "v"}}}]},
              {"uri": "user", "stages": [{"$match": {"team": {"$var": "@user.team"}}}]},
              {"uri": "acts", "operatorsInVariables": true, "stages": [{"$project": {"x": {"$var": "v"}}}]},
              {"uri": "lookup", "stages": [{"$lookup":
                {"from": "users", "localField": "_id", "foreignField": "_id", "as": "u"}}]},
              {"uri": "facet", "stages": [{"$facet": {"f": [{"$unionWith": {"coll": "acl"}}]}}]},
              {"uri": "deep", "stages": [{"$lookup": {"from": "t", "as": "x", "pipeline":
                [{"$unionWith": "users"}]}}]},
              {"uri": "graph", "stages": [{"$graphLookup": {"from": "users", "startWith": "$_id",
                "connectFromField": "_id", "connectToField": "_id", "as": "u"}}]},
              {"uri": "properties", "stages": [{"$unionWith": "_properties"}]},
              {"uri": "out", "stages": [{"$out": "users"}]},
              {"uri": "merge", "stages": [{"$merge": {"into": "acl"}}]},
              {"uri": "code", "stages": [{"$match": {"$where": "true"}}]},
              {"uri": "open", "stages": [{"$lookup":
                {"from": "t", "localField": "_id", "foreignField": "_id", "as": "u"}}]}
            ]}\
            """));
        gateway.insert("g", "{_id: 'red', team: 'red', secret: 'TOP'}", "{_id: 'green', team: 'green'}");
    }

    /// Restores the documents with hidden fields.
    private static void reset() {
        gateway.collection("h").drop();
        gateway.insert(
                "h",
                "{_id: 'a', secret: 'TOP', '2024': 7, n: [{secret: 'TOP', open: 1}], open: 1}",
                "{_id: 'b', secret: {x: [1, 2]}, '2024': 8, n: [{secret: 'LOW', open: 1}], open: 2}");
    }

    @Test
    void no_update_runs_code() {
        var admin = gateway.as("admin");
        gateway.insert("f", "{_id: 1, n: [{a: 1}]}");
        var function = "{\"$function\":{\"body\":\"function(){return 1}\",\"args\":[],\"lang\":\"js\"}}";
        for (var change : List.of(
                "[{\"$set\":{\"x\":" + function + "}}]",
                "[{\"$addFields\":{\"x\":{\"y\":[" + function + "]}}}]",
                "[{\"$replaceWith\":{\"x\":" + function + "}}]",
                "{\"$pull\":{\"n\":{\"$where\":\"true\"}}}")) {
            assertThat(admin.patch("/f/1?id_type=NUMBER", change).statusCode())
                    .as(change)
                    .isEqualTo(403);
        }
        assertStatus(
                403,
                admin.put(
                        "/f/_indexes/x",
                        "{\"keys\":{\"a\":1},\"ops\":{\"partialFilterExpression\":{\"$where\":\"true\"}}}"));
        assertStatus(403, admin.get("/g/_aggrs/code"));
        assertThat(admin.get("/g/_aggrs/match?avars=" + encode("{\"v\":{\"$where\":\"true\"}}"))
                        .statusCode())
                .isIn(400, 403);
        // values are data, whatever their keys
        assertStatus(201, admin.post("/f", "{\"_id\":2,\"x\":{\"$where\":1}}"));
        assertStatus(200, admin.patch("/f/1?id_type=NUMBER", "[{\"$set\":{\"x\":{\"$literal\":{\"$where\":1}}}}]"));
    }

    @Test
    void creating_an_index_reveals_no_hidden_values() {
        reset();
        var eve = gateway.user("eve");
        for (var index : List.of(
                "{\"keys\":{\"secret\":1},\"ops\":{\"unique\":true}}",
                "{\"keys\":{\"2024\":1}}",
                "{\"keys\":{\"n.secret\":1}}",
                "{\"keys\":{\"n\":1}}",
                "{\"keys\":{\"$**\":1}}",
                "{\"keys\":{\"$**\":\"text\"}}",
                "{\"keys\":{\"open\":1,\"secret\":1}}",
                "{\"keys\":{\"open\":1},\"ops\":{\"unique\":true,\"partialFilterExpression\":{\"secret\":\"TOP\"}}}")) {
            assertThat(eve.put(INDEXES + "x", index).statusCode()).as(index).isEqualTo(403);
        }
        assertStatus(201, eve.put(INDEXES + "open", "{\"keys\":{\"open\":1}}"));
        var ops = gateway.user("ops");
        for (var index : List.of(
                "{\"keys\":{\"a\":1},\"ops\":{\"unique\":true}}",
                "{\"keys\":{\"a\":1},\"ops\":{\"expireAfterSeconds\":0}}",
                "{\"keys\":{\"a\":1,\"b\":1}}",
                "{\"keys\":{\"a\":\"2dsphere\"}}")) {
            assertThat(ops.put("/i/_indexes/x", index).statusCode()).as(index).isEqualTo(403);
        }
        assertStatus(201, ops.put("/i/_indexes/a", "{\"keys\":{\"a\":1}}"));
        assertStatus(403, ops.put("/users/_indexes/x", "{\"keys\":{\"email\":1}}"));
        for (var index : List.of(
                "{\"keys\":{\"password\":1}}",
                "{\"keys\":{\"roles\":1},\"ops\":{\"unique\":true,"
                        + "\"partialFilterExpression\":{\"password\":{\"$gt\":\"$2a$04$A\"}}}}")) {
            assertThat(gateway.as("admin").put("/users/_indexes/x", index).statusCode())
                    .as(index)
                    .isEqualTo(403);
        }
    }

    @Test
    void positions_in_paths_do_not_lead_out_of_a_write_filter() {
        var kim = gateway.user("kim");
        for (var change : List.of(
                "{\"n.0.k\":9}",
                "{\"$set\":{\"n.0.k\":9}}",
                "{\"$inc\":{\"n.0.k\":1}}",
                "{\"$set\":{\"n.$[].k\":9}}",
                "{\"$unset\":{\"n.0\":1}}",
                "[{\"$set\":{\"n\":[]}}]")) {
            assertThat(kim.patch("/p/mine", change).statusCode()).as(change).isEqualTo(403);
            if (change.startsWith("{")) {
                assertThat(kim.patch("/p/*?filter=" + encode("{\"_id\":\"mine\"}"), change)
                                .statusCode())
                        .as(change)
                        .isEqualTo(403);
            }
        }
        assertThat(gateway.stored("p", "mine").getArray("n"))
                .hasToString(BsonDocument.parse("{n: [{k: 1}]}").getArray("n").toString());
        assertStatus(200, kim.patch("/p/mine", "{\"other\":1}"));
    }

    @Test
    void numbers_in_paths_are_names_of_fields_too() {
        reset();
        var eve = gateway.user("eve");
        for (var query : List.of("filter={\"2024\":7}", "sort={\"2024\":1}", "hint={\"2024\":1}")) {
            int equals = query.indexOf('=');
            var target = "/h?" + query.substring(0, equals + 1) + encode(query.substring(equals + 1));
            assertThat(eve.get(target).statusCode()).as(query).isEqualTo(403);
        }
        for (var change : List.of(
                "[{\"$set\":{\"x\":\"$2024\"}}]", "{\"$rename\":{\"2024\":\"x\"}}", "{\"$inc\":{\"2024\":1}}")) {
            assertThat(eve.patch("/h/a", change).statusCode()).as(change).isEqualTo(403);
        }
        assertStatus(403, eve.get("/h?filter=" + encode("{\"n.0.secret\":\"TOP\"}")));
        assertThat(eve.get("/h?filter=" + encode("{\"n.0.open\":1}")).body()).contains("\"a\"", "\"b\"");
        var renamed = eve.get("/h?keys=" + encode("{\"x\":\"$2024\"}"));
        assertStatus(200, renamed);
        assertThat(renamed.body()).contains("\"_id\"").doesNotContain("\"x\"");
    }

    @Test
    void definitions_that_may_name_what_is_hidden_do_not_show_in_hal() {
        var properties =
                "{\"aggrs\": [{\"uri\": \"u\", \"stages\": [{\"$match\": {\"hidden\": 1}}]}], \"note\": \"open\"}";
        assertStatus(200, gateway.as("admin").put("/n", properties));
        assertThat(gateway.as("admin").get("/n?rep=HAL&pagesize=0").body()).contains("hidden", "note");
        assertThat(gateway.user("lee").get("/n?rep=HAL&pagesize=0").body())
                .contains("note")
                .doesNotContain("hidden");
        assertStatus(403, gateway.user("lee").get("/n/_meta"));
    }

    @Test
    void hal_names_of_what_a_collection_declares_only_what_its_reader_may_run() {
        assertStatus(201, gateway.as("admin").put("/o", """
            {"aggrs": [{"uri": "mine", "stages": [{"$match": {"a": 1}}]}, {"uri": "theirs", "stages": []}],
             "streams": [{"uri": "news", "stages": []}], "note": "open"}\
            """));
        gateway.permit("{_id: 'some', roles: ['some'], predicate: \"(path('/', '/o', '/o/_aggrs/mine')"
                + " or path('/o/_streams/news') and qparams-contain(avars)) and method(GET)\"}");
        gateway.permit("{_id: 'own', roles: ['own'], predicate: \"path('/o') or (path-template('/o/_aggrs/{of}') and"
                + " equals(@user._id, ${of}))\"}");
        gateway.insertUsers("{_id: 'sam', roles: ['some']}", "{_id: 'mine', roles: ['own']}");
        assertThat(gateway.user("mine").get("/o?rep=HAL&pagesize=0").body())
                .contains("/o/_aggrs/mine")
                .doesNotContain("theirs");
        assertThat(gateway.user("sam").get("/o?rep=HAL&pagesize=0").body())
                .contains("note", "mine\"", "/o/_aggrs/mine", "/o/_streams/news")
                .doesNotContain("theirs");
        assertThat(gateway.user("sam").get("/?rep=HAL").body())
                .contains("note")
                .doesNotContain("theirs", "mine", "news");
        for (var path : List.of("/o?rep=HAL&pagesize=0", "/?rep=HAL")) {
            assertThat(gateway.as("admin").get(path).body()).contains("theirs", "mine", "news");
        }
    }

    @Test
    void variables_of_clients_in_pipelines_are_values() {
        var admin = gateway.as("admin");
        for (var avars : List.of(
                "{\"v\":{\"$regex\":\"r\",\"$options\":\"i\"}}",
                "{\"v\":{\"$regularExpression\":{\"pattern\":\"r\",\"options\":\"\"}}}",
                "{\"v\":[{\"$regularExpression\":{\"pattern\":\"r\",\"options\":\"\"}}]}",
                "{\"v\":{\"$code\":\"1\"}}",
                "{\"v\":{\"$ne\":1}}")) {
            assertThat(admin.get("/g/_aggrs/match?avars=" + encode(avars)).statusCode())
                    .as(avars)
                    .isEqualTo(400);
        }
        for (var path : List.of("$$ROOT", "$secret", "$$CURRENT.secret")) {
            var response = admin.get("/g/_aggrs/value?avars=" + encode("{\"v\":\"" + path + "\"}"));
            assertThat(response.statusCode()).as(path).isEqualTo(200);
            assertThat(response.body()).as(path).contains(path).doesNotContain("TOP");
        }
        assertThat(admin.get("/g/_aggrs/acts?avars=" + encode("{\"v\":\"$secret\"}"))
                        .body())
                .contains("TOP");
        assertThat(admin.get("/g/_aggrs/match?avars=" + encode("{\"v\":\"red\"}"))
                        .body())
                .contains("red")
                .doesNotContain("green");
        assertThat(admin.get("/g/_aggrs/text?avars=" + encode("{\"v\":\"red\"}"))
                        .body())
                .contains("red")
                .doesNotContain("green");
        assertThat(admin.get("/g/_aggrs/null?avars=" + encode("{\"v\":null}")).body())
                .isEqualTo("[]");
    }

    @Test
    void properties_of_accounts_in_filters_are_values() {
        assertThat(gateway.user("lee").get("/t").body())
                .contains("\"red\"")
                .doesNotContain("green", "none", "null", "doc");
        for (var name : List.of("ned", "pat")) {
            assertThat(gateway.user(name).get("/t").body()).as(name).isEqualTo("[]");
            assertThat(gateway.user(name).get("/t/green").statusCode()).as(name).isEqualTo(404);
        }
        assertThat(gateway.user("doc").get("/t").body()).contains("\"doc\"").doesNotContain("red", "green");
        assertThat(gateway.user("lee").get("/l").body()).contains("\"red\"").doesNotContain("green", "none", "null");
    }

    @Test
    void an_absent_property_matches_nothing() {
        for (var collection : List.of("/t", "/l", "/n")) {
            assertThat(gateway.user("non").get(collection).body())
                    .as(collection)
                    .isEqualTo("[]");
        }
        assertThat(gateway.anonymous().get("/t").body()).isEqualTo("[]");
        assertThat(gateway.user("non").get("/t/_size").body()).contains("0");
        assertStatus(404, gateway.user("non").get("/t/none"));
        assertThat(gateway.user("non").get("/e").body()).contains("\"null\"").doesNotContain("red", "none");
    }

    @Test
    void aggregations_do_not_reach_accounts() {
        var admin = gateway.as("admin");
        for (var name : List.of("lookup", "facet", "deep", "graph", "properties", "out", "merge")) {
            var response = admin.get("/g/_aggrs/" + name);
            assertThat(response.statusCode()).as(name).isEqualTo(403);
            assertThat(response.body())
                    .as(name)
                    .contains("PROTECTED_COLLECTION")
                    .doesNotContain("$2a$");
        }
        assertStatus(200, admin.get("/g/_aggrs/open"));
    }

    @Test
    void an_account_with_a_list_of_names_cannot_log_in(TestMongo mongo) {
        var realm = "mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4, prop-id:"
                + " email}\n";
        try (var byEmail = TestGateway.startWithRealm(mongo, realm, "")) {
            var hash = TestGateway.hash("pw");
            byEmail.insert(
                    "users",
                    "{_id: 1, email: ['eve@x', 'mallory@x'], password: '" + hash + "', roles: ['admin']}",
                    "{_id: 2, email: ['trudy@x'], password: '" + hash + "', roles: ['admin']}",
                    "{_id: 3, email: 'ada@x', password: '" + TestGateway.hash("hers") + "', roles: []}");
            for (var name : List.of("eve@x", "mallory@x", "trudy@x", "ada@x")) {
                assertThat(byEmail.anonymous()
                                .as(name, "pw")
                                .get("/roles/" + encode(name))
                                .statusCode())
                        .as(name)
                        .isEqualTo(401);
            }
            assertStatus(200, byEmail.anonymous().as("ada@x", "hers").get("/roles/" + encode("ada@x")));
        }
    }

    @Test
    void writing_does_not_reveal_existing_documents() {
        reset();
        var eve = gateway.user("eve");
        for (var change : List.of(
                "{\"$push\":{\"secret\":1}}",
                "{\"$bit\":{\"secret\":{\"and\":1}}}",
                "{\"$inc\":{\"secret\":1}}",
                "{\"$mul\":{\"secret\":1}}",
                "{\"$min\":{\"secret\":\"A\"}}",
                "{\"$max\":{\"secret\":\"A\"}}",
                "{\"$pop\":{\"secret\":1}}",
                "{\"$pull\":{\"secret\":1}}",
                "{\"$pullAll\":{\"secret\":[1]}}",
                "{\"$addToSet\":{\"secret\":1}}",
                "{\"$rename\":{\"open\":\"secret\"}}",
                "{\"$rename\":{\"secret\":\"open\"}}",
                "{\"$set\":{\"secret.x\":1}}",
                "{\"secret.x\":1}",
                "{\"secret.x.0\":1}",
                "{\"$set\":{\"secret.x.$[]\":1}}",
                "{\"$unset\":{\"secret.x\":1}}",
                "{\"$set\":{\"n.0.secret\":1}}",
                "{\"$set\":{\"n.$[].secret\":1}}",
                "{\"$currentDate\":{\"secret.x\":true}}",
                "[{\"$set\":{\"secret.x\":1}}]",
                "[{\"$set\":{\"x\":{\"$type\":\"$secret\"}}}]")) {
            assertThat(eve.patch("/h/a", change).statusCode()).as(change).isEqualTo(403);
            assertThat(eve.patch("/h/b", change).statusCode()).as(change).isEqualTo(403);
            assertThat(eve.patch("/h/new?wm=upsert", change).statusCode())
                    .as(change)
                    .isEqualTo(403);
            if (change.startsWith("{")) {
                assertThat(eve.patch("/h/*?filter=" + encode("{\"_id\":\"a\"}"), change)
                                .statusCode())
                        .as(change)
                        .isEqualTo(403);
            }
        }
        var equal = eve.patch("/h/*?filter=" + encode("{\"_id\":\"a\"}"), "{\"secret\":\"TOP\"}");
        var other = eve.patch("/h/*?filter=" + encode("{\"_id\":\"b\"}"), "{\"secret\":\"TOP\"}");
        assertStatus(200, equal);
        assertThat(equal.body()).isEqualTo(other.body());
        assertThat(gateway.stored("h", "b").getString("secret").getValue()).isEqualTo("TOP");
        for (var change : List.of(
                "{\"secret\":\"new\"}",
                "{\"$set\":{\"secret\":{\"x\":1}}}",
                "{\"$unset\":{\"2024\":1}}",
                "{\"$inc\":{\"open\":1}}",
                "[{\"$set\":{\"secret\":1}}]")) {
            assertThat(eve.patch("/h/a", change).statusCode()).as(change).isEqualTo(200);
        }
    }

    @Test
    void errors_quote_nothing_that_is_hidden() {
        reset();
        gateway.collection("h")
                .createIndex(BsonDocument.parse("{open: 1, secret: 1}"), new IndexOptions().unique(true));
        gateway.insert("h", "{_id: 'c', secret: 'TOP', open: 9}");
        for (var change : List.of("{\"n.open\":1}", "{\"$set\":{\"open\":9}}", "{\"$push\":{\"open\":1}}")) {
            for (var target : List.of("/h/a", "/h/*?filter=" + encode("{\"_id\":\"a\"}"))) {
                var response = gateway.user("eve").patch(target, change);
                assertThat(response.statusCode()).as(target + change).isIn(207, 400, 409);
                assertThat(response.body()).as(target + change).doesNotContain("TOP", "secret");
            }
        }
        var index = gateway.user("eve").put(INDEXES + "geo", "{\"keys\":{\"open\":\"2dsphere\"}}");
        assertStatus(400, index);
        assertThat(index.body()).doesNotContain("TOP", "secret");
        assertThat(gateway.as("admin").patch("/h/a", "{\"n.open\":1}").body()).contains("TOP");
    }
}
