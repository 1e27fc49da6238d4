package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Rules with exceptions: no other way to say the same is outside of an exception.
@WithMongo
class NegatedRulesTest {
    private static final String OID = "507f1f77bcf86cd799439011";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.addUsers(
                "draft",
                "unflagged",
                "paths",
                "suffix",
                "own",
                "inserting",
                "keyed",
                "team",
                "nested",
                "filtering",
                "level",
                "query",
                "tags",
                "unapproved",
                "leaf",
                "only",
                "odd",
                "_Odd",
                "ending",
                "encoded",
                "mixed",
                "piping",
                "mine");
        gateway.permit(
                "draft",
                "path-prefix('/n') and not bson-request-prop-equals(key=status, value=approved)",
                "{allowWriteMode: true}");
        gateway.permit("unflagged", "path-prefix('/n') and not bson-request-contains(flag)", "{}");
        gateway.permit(
                "paths",
                "path-prefix('/n') and not path-prefix('/n/_aggrs') and not path('/n/_size') and not path('/n/" + OID
                        + "') or path-prefix('/pics.files') and not path-suffix('/binary')",
                "{readFilter: {owner: 'paths'}}");
        gateway.permit("suffix", "path-prefix('/n') and not path-suffix('/b0')", "{}");
        gateway.permit("own", "path-template('/n/{id}') and equals(${id}, @user._id)", "{}");
        gateway.permit("inserting", "path-prefix('/n') and equals(%{q,wm}, 'insert')", "{allowWriteMode: true}");
        gateway.permit("keyed", "path('/n') and equals(%{q,keys}, '{\\\"n\\\":1}') and qparams-blacklist(sort)", "{}");
        gateway.permit("team", "path-prefix('/n') and equals(@request.body.meta.team.id, 'red')", "{}");
        gateway.permit("nested", "path-prefix('/n') and bson-request-prop-equals(key=meta.team.id, value=red)", "{}");
        gateway.permit("filtering", "path-prefix('/n') and not contains(value=%{q,filter}, search='sec')", "{}");
        gateway.permit("level", "path('/n') and not equals(@request.body.lvl, '9')", "{}");
        gateway.permit("query", "path('/n') and not contains(value=%q, search='page')", "{}");
        gateway.permit("tags", "path('/n') and not bson-request-array-contains(key=tags, values=secret)", "{}");
        gateway.permit("unapproved", "path('/n') and not exists(@request.body.approved)", "{}");
        gateway.permit(
                "mine",
                "path-prefix('/n') and equals(@request.body.owner, @user._id)",
                "{allowBulkDelete: true, allowBulkPatch: true}");
        gateway.permit("leaf", "path-prefix('/n') and bson-request-contains(meta.team.id)", "{}");
        gateway.permit("only", "path-prefix('/n') and bson-request-whitelist(meta.team.id)", "{}");
        gateway.permit(
                "odd",
                "path-prefix('/n') and not path('/n/_MinKey') and not path-prefix('/n/" + OID.toUpperCase(Locale.ROOT)
                        + "') and not path-template('/{c}/_Null') and not path-suffix('/_MAXKEY')"
                        + " and not equals(%R, '/n/_True')",
                "{}");
        gateway.permit(
                "ending", "path-prefix('/n') and not path-suffix('_Private') and not path-suffix('Binary')", "{}");
        gateway.permit(
                "mixed", "path-prefix('/n') and not (path-prefix('/n/_Aggrs') and path-suffix('_Secret'))", "{}");
        gateway.permit("home", "path-prefix('/n') and not path(@user.home) and not equals(%R, @user.home)", "{}");
        gateway.permit("encoded", "path-prefix('/n') and not contains(search='_Private', value=%U)", "{}");
        gateway.permit("_Odd", "path-prefix('/n') and not (path('/n/_MinKey') and equals(%u, '_Odd'))", "{}");
        gateway.permit(
                "piping",
                "path('/n/_aggrs') and bson-request-prop-equals(key=owner, value=@user._id)",
                "{allowAdHocAggregations: true}");
        gateway.insert(
                "n",
                "{_id: 'b0', n: 1, sec: 2, x: 'approved'}",
                "{_id: null, n: 'of null'}",
                "{_id: {$oid: '" + OID + "'}, owner: 'paths'}");
    }

    private static int post(String user, String target, String content) {
        return gateway.user(user).post(target, content).statusCode();
    }

    private static int patch(String user, String target, String content) {
        return gateway.user(user).patch(target, content).statusCode();
    }

    private static int get(String user, String target) {
        return gateway.user(user).get(target).statusCode();
    }

    @Test
    void a_decoy_is_not_the_value_that_a_rule_wants() {
        for (var user : List.of("team", "nested")) {
            for (var content : List.of(
                    "{\"meta\":{\"team.id\":\"red\",\"team\":[{\"id\":\"blue\"}]}}",
                    "{\"meta\":{\"team.id\":\"red\",\"team\":{\"id\":\"blue\"}}}",
                    "{\"meta\":{\"team.id\":\"red\"}}")) {
                assertThat(post(user, "/n", content)).as(user + content).isEqualTo(403);
                assertThat(patch(user, "/n/b0", content)).as(user + content).isEqualTo(403);
                assertThat(patch(user, "/n/b0", "{\"$set\":" + content + "}"))
                        .as(user + content)
                        .isEqualTo(403);
            }
            assertThat(post(user, "/n", "{\"meta\":{\"team\":{\"id\":\"red\"}}}"))
                    .isEqualTo(201);
            assertThat(patch(user, "/n/b0", "{\"meta.team.id\":\"red\"}")).isEqualTo(200);
        }
    }

    @Test
    void a_decoy_is_not_the_name_that_a_rule_wants() {
        var decoy = "{\"meta\":{\"team.id\":\"red\"}}";
        for (var user : List.of("leaf", "only")) {
            assertThat(post(user, "/n", decoy)).as(user).isEqualTo(403);
            assertThat(post(user, "/n", "[" + decoy + "]")).as(user).isEqualTo(403);
            assertThat(patch(user, "/n/b0", "{\"$set\":" + decoy + "}"))
                    .as(user)
                    .isEqualTo(403);
            assertThat(post(user, "/n", "{\"meta\":{\"team\":{\"id\":\"red\"}}}"))
                    .as(user)
                    .isEqualTo(201);
            assertThat(patch(user, "/n/b0", "{\"meta.team.id\":\"red\"}"))
                    .as(user)
                    .isEqualTo(200);
        }
    }

    /// What no service reads would satisfy any rule.
    @Test
    void the_content_of_a_pipeline_has_no_unknown_keys() {
        var refused = gateway.user("piping").post("/n/_aggrs", "{\"stages\":[],\"owner\":\"piping\",\"Limit\":1}");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("owner", "Limit");
        assertThat(gateway.as("admin")
                        .post("/n/_aggrs", "{\"stages\":[],\"avars\":{},\"limit\":1}")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_rule_in_another_spelling_excepts_the_same() {
        for (var path :
                List.of("_minkey", "_MinKey", "_MINKEY", "_null", "_Null", "_maxkey", "_MAXKEY", "_true", OID)) {
            assertThat(get("odd", "/n/" + path)).as(path).isEqualTo(403);
            assertThat(get("odd", "/n/" + path + "/")).as(path).isEqualTo(403);
        }
        assertThat(get("odd", "/n/b0")).isEqualTo(200);
        assertThat(get("odd", "/n/_false")).isEqualTo(404);
        assertThat(get("odd", "/n")).isEqualTo(200);
    }

    @Test
    void what_a_rule_names_is_compared_as_it_is_written_too() {
        for (var path : List.of("x_Private", "x_Private/", "MyBinary", "MyBinary/")) {
            assertThat(get("ending", "/n/" + path)).as(path).isEqualTo(403);
        }
        assertThat(get("ending", "/n/b0/")).isEqualTo(200);
        assertThat(get("encoded", "/n/x%5FPrivate")).isEqualTo(403);
        assertThat(get("encoded", "/n/b%30")).isEqualTo(200);
        assertThat(get("mixed", "/n/_aggrs/x_Secret")).isEqualTo(403);
        assertThat(get("mixed", "/n/_Aggrs/x_Secret")).isEqualTo(403);
        assertThat(get("mixed", "/n/b0")).isEqualTo(200);
        gateway.insertUsers("{_id: 'home', roles: ['home'], home: '/n/_Private'}");
        for (var path : List.of("_private", "_PRIVATE", "_private/", "_Private")) {
            assertThat(get("home", "/n/" + path)).as(path).isEqualTo(403);
        }
        assertThat(get("home", "/n/b0")).isEqualTo(200);
        for (var path : List.of("_minkey", "_MinKey", "_minkey/")) {
            assertThat(get("_Odd", "/n/" + path)).as(path).isEqualTo(403);
        }
        assertThat(get("_Odd", "/n/b0/")).isEqualTo(200);
    }

    @Test
    void no_form_of_content_sets_a_value_that_a_rule_excepts() {
        assertThat(post("draft", "/n", "{\"status\":\"approved\"}")).isEqualTo(403);
        assertThat(post("draft", "/n", "[{\"status\":\"approved\"}]")).isEqualTo(403);
        for (var change : List.of(
                "{\"$set\":{\"status\":\"approved\"}}",
                "[{\"$set\":{\"status\":\"approved\"}}]",
                "[{\"$replaceWith\":{\"status\":\"approved\"}}]",
                "{\"$rename\":{\"x\":\"status\"}}",
                "{\"$setOnInsert\":{\"status\":\"approved\"}}")) {
            assertThat(patch("draft", "/n/b0", change)).as(change).isEqualTo(403);
        }
        assertThat(patch("draft", "/n/new?wm=upsert&filter=" + encode("{\"status\":\"approved\"}"), "{\"y\":1}"))
                .isEqualTo(403);
        assertThat(post("draft", "/n", "{\"status\":\"draft\"}")).isEqualTo(201);
        assertThat(post("draft", "/n", "[{\"title\":\"a\"},{\"title\":\"b\"}]")).isEqualTo(200);
        assertThat(patch("draft", "/n/b0", "{\"$unset\":{\"status\":1}}")).isEqualTo(200);
        assertThat(get("draft", "/n")).isEqualTo(200);

        assertThat(post("unflagged", "/n", "[{\"flag\":1},{}]")).isEqualTo(403);
        assertThat(patch("unflagged", "/n/b0", "[{\"$replaceWith\":{\"flag\":1}}]"))
                .isEqualTo(403);
        assertThat(post("unflagged", "/n", "{\"title\":\"a\"}")).isEqualTo(201);
    }

    @Test
    void no_spelling_of_a_path_is_outside_of_an_exception() {
        for (var path : List.of("/n/_AGGRS/all", "/n/_Aggrs", "/n/_SIZE", "/n/" + OID.toUpperCase(Locale.ROOT))) {
            assertThat(get("paths", path)).as(path).isEqualTo(403);
        }
        assertThat(get("paths", "/n")).isEqualTo(200);
        assertThat(get("paths", "/pics.files/f/BINARY")).isEqualTo(403);
        // letters that only some comparisons take for those of a keyword
        assertThat(get("paths", "/pics.files/f/b%C4%B1nary")).isEqualTo(404);
        assertThat(get("suffix", "/n/b0/")).isEqualTo(403);
        assertThat(get("suffix", "/n/b0//")).isEqualTo(403);
        assertThat(get("suffix", "/n/b1/")).isEqualTo(404);
    }

    @Test
    void an_id_is_not_the_text_that_another_type_ignores() {
        for (var type : List.of("NULL", "MINKEY", "MAXKEY", "null")) {
            assertThat(get("own", "/n/own?id_type=" + type)).as(type).isEqualTo(403);
        }
        assertThat(get("own", "/n/own?id_type=STRING")).isEqualTo(404);
        assertThat(get("own", "/n/own")).isEqualTo(404);
    }

    @Test
    void a_parameter_has_one_value_by_whichever_name() {
        assertThat(post("inserting", "/n?wm=insert&writeMode=upsert", "{\"_id\":\"b0\"}"))
                .isEqualTo(403);
        assertThat(post("inserting", "/n?wm=insert", "{\"_id\":\"b0\"}")).isEqualTo(409);
        var keys = "/n?keys=" + encode("{\"n\":1}");
        assertThat(get("keyed", keys)).isEqualTo(200);
        assertThat(get("keyed", keys + "&keys=" + encode("{\"sec\":1}"))).isEqualTo(403);
        assertThat(get("keyed", keys + "&sort_by=sec")).isEqualTo(403);
        var filter = "/n?filter=" + encode("{\"n\":1}");
        assertThat(get("filtering", filter)).isEqualTo(200);
        assertThat(get("filtering", filter + "&filter=" + encode("{\"sec\":2}")))
                .isEqualTo(403);
        assertThat(get("query", "/n?np=1")).isEqualTo(200);
        assertThat(get("query", "/n?page=1")).isEqualTo(403);
        assertThat(get("query", "/n?%70age=1")).isEqualTo(403);
    }

    @Test
    void no_number_or_array_that_is_found_by_a_value_is_another_value() {
        for (var value : List.of("9", "9.0", "{\"$numberDecimal\":\"9.0\"}", "[9]")) {
            assertThat(post("level", "/n", "{\"lvl\":" + value + "}")).as(value).isEqualTo(403);
        }
        assertThat(post("level", "/n", "{\"lvl\":8}")).isEqualTo(201);
    }

    @Test
    void no_value_is_outside_of_an_exception_for_its_form() {
        for (var value : List.of("\"secret\"", "[\"secret\"]")) {
            assertThat(post("tags", "/n", "{\"tags\":" + value + "}")).as(value).isEqualTo(403);
        }
        assertThat(post("tags", "/n", "{\"tags\":\"public\"}")).isEqualTo(201);
        for (var value : List.of("true", "{\"by\":\"me\"}", "[{\"by\":\"me\"}]", "{}")) {
            assertThat(post("unapproved", "/n", "{\"approved\":" + value + "}"))
                    .as(value)
                    .isEqualTo(403);
        }
        assertThat(post("unapproved", "/n", "{\"title\":\"a\"}")).isEqualTo(201);
    }

    @Test
    void a_property_of_the_account_exists_whatever_its_form() {
        gateway.permit("guest", "path('/n') and not exists(@user.suspended)", "{}");
        gateway.insertUsers(
                "{_id: 'guest', roles: ['guest']}",
                "{_id: 'guest1', roles: ['guest'], suspended: true}",
                "{_id: 'guest2', roles: ['guest'], suspended: {since: 2026}}");
        assertThat(get("guest", "/n")).isEqualTo(200);
        assertThat(get("guest1", "/n")).isEqualTo(403);
        assertThat(get("guest2", "/n")).isEqualTo(403);
    }

    /// Nothing of it is written, so that it may say whatever a rule wants.
    @Test
    void content_of_reads_and_deletions_satisfies_no_rule() {
        var mine = "{\"owner\":\"mine\"}";
        var client = gateway.user("mine");
        for (var method : List.of("GET", "DELETE")) {
            for (var target : List.of("/n/b0", "/n", "/n/*?filter=" + encode("{\"n\":1}"))) {
                assertThat(client.send(method, target, mine).statusCode())
                        .as(method + target)
                        .isEqualTo(403);
            }
        }
        assertThat(gateway.stored("n", "b0")).isNotNull();
        assertThat(post("mine", "/n", mine)).isEqualTo(201);
    }

    @Test
    void a_property_that_an_account_lacks_matches_nothing_in_any_negation() {
        gateway.insert("t", "{_id: 0, team: 'red'}", "{_id: 1, team: ['blue']}", "{_id: 2, team: 'red', secret: true}");
        var filters = List.of(
                "{$nor: [{$or: [{secret: true}, {team: {$ne: '@user.team'}}]}]}",
                "{$nor: [{$and: [{$or: [{secret: true}, {team: {$nin: ['@user.team']}}]}]}]}",
                "{$nor: [{secret: true}, {team: {$not: {$in: ['@user.team', 'green']}}}]}",
                "{$nor: [{team: {$in: ['@user.other', 'blue']}}, {secret: true}]}",
                "{secret: {$ne: true}, team: {$not: {$in: ['@user.other', 'blue']}}}",
                "{secret: {$ne: true}, team: {$not: {$elemMatch: {$in: ['@user.other', 'blue']}}}}");
        for (int i = 0; i < filters.size(); i++) {
            gateway.permit("lacking" + i, "path('/t')", "{readFilter: " + filters.get(i) + "}");
            gateway.insertUsers(
                    "{_id: 'lacking%1$d', roles: ['lacking%1$d']}".formatted(i),
                    "{_id: 'having%1$d', roles: ['lacking%1$d'], team: 'red', other: 'white'}".formatted(i));
            assertThat(gateway.user("lacking" + i).get("/t").body())
                    .as(filters.get(i))
                    .isEqualTo("[]");
            assertThat(gateway.user("having" + i)
                            .get("/t?keys=" + encode("{\"_id\":1}"))
                            .body())
                    .as(filters.get(i))
                    .isEqualTo("[{\"_id\": 0}]");
        }
    }
}
