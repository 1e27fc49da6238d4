package org.restheart.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CreateCollectionOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The command `apply`, with examples/shop and with folders of its own.
@WithMongo
class ApplyTest {
    private static final Path SHOP = Path.of("../examples/shop/gateway");
    private static final String PASSWORD = "tall-Oaks.Whisper8";

    private TestGateway gateway;
    private String userInfo = "";

    @TempDir
    private Path folder;

    /// Called between the comparison and the first write.
    private Runnable whilePrinting = () -> {};

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    @BeforeEach
    void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "graphql: {enabled: true, db: $db, collection: gql-apps}\n");
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private int apply(Path from, String... options) {
        return applyAs("admin:admin-pw", from, options);
    }

    private int applyAs(String user, Path from, String... options) {
        output.reset();
        var args = new ArrayList<>(List.of("apply", "--url", url()));
        args.addAll(List.of(options));
        args.add(from.toString());
        try (var out = new PrintStream(output, true, StandardCharsets.UTF_8) {
            @Override
            public void println(Object step) {
                whilePrinting.run();
                super.println(step);
            }
        }) {
            return new Transfer(Map.of("RESTHEART_USER", user, "MERCHANT_PASSWORD", PASSWORD), out, out)
                    .run(args.toArray(String[]::new));
        }
    }

    private String url() {
        return "http://" + userInfo + "127.0.0.1:" + gateway.address().getPort();
    }

    private String output() {
        return output.toString(StandardCharsets.UTF_8);
    }

    private void file(String name, String content) throws IOException {
        var file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    /// Every document and index of the database, so that a write is seen.
    private Map<String, List<String>> everything() {
        var all = new TreeMap<String, List<String>>();
        for (var name : gateway.database().listCollectionNames()) {
            var of = new ArrayList<String>();
            gateway.collection(name)
                    .find()
                    .sort(new BsonDocument("_id", new BsonInt32(1)))
                    .forEach(d -> of.add(d.toJson()));
            gateway.collection(name).listIndexes().forEach(index -> of.add(index.toJson()));
            all.put(name, of);
        }
        return all;
    }

    @Test
    void the_first_run_makes_everything_and_the_second_writes_nothing() {
        assertThat(apply(SHOP, "--dry-run")).as(output()).isEqualTo(ApplyCommand.DIFFERENT);
        assertThat(output())
                .contains("+ collection /orders  (collections/orders.yml)", "+ permission /acl/shop-orders")
                .contains("17 to be created, 0 to be changed, 0 to be removed");
        assertThat(gateway.database().listCollectionNames()).doesNotContain("orders");

        assertThat(apply(SHOP)).as(output()).isZero();
        assertThat(output()).contains("17 created, 0 changed").doesNotContain(PASSWORD);
        assertThat(gateway.anonymous()
                        .as("merchant", PASSWORD)
                        .get("/orders/_aggrs/sales-per-day")
                        .statusCode())
                .isEqualTo(200);
        assertThat(gateway.as("admin").put("/products/bad", "{\"name\": 7}").statusCode())
                .isEqualTo(400);
        assertThat(gateway.anonymous().get("/orders").statusCode()).isEqualTo(401);
        assertThat(gateway.as("admin")
                        .post("/graphql/shop", "{\"query\": \"{products(text: \\\"a\\\") {name}}\"}")
                        .body())
                .contains("\"products\"");

        var before = everything();
        assertThat(apply(SHOP)).as(output()).isZero();
        assertThat(output()).contains("0 created, 0 changed, 0 removed; 15 as the folder says");
        assertThat(apply(SHOP, "--dry-run", "--prune")).as(output()).isZero();
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void what_has_drifted_is_shown_and_mended() throws Exception {
        copyShop();
        assertThat(apply(folder)).as(output()).isZero();
        var admin = gateway.as("admin");
        admin.patch("/acl/shop-orders", "{\"mongo.readFilter\": {}, \"note\": \"by hand\"}");
        admin.patch("/orders", "{\"cacheControl\": \"private\"}");
        admin.delete("/orders/_indexes/by-customer");
        admin.put("/orders/_indexes/by-customer", "{\"keys\": {\"at\": -1, \"customer\": 1}}");
        admin.patch(
                "/users/merchant",
                "{\"roles\": [\"merchant\", \"editor\"], \"phone\": \"1\", \"password\": \"calm-Rivers.Turn5\"}");
        var before = everything();
        assertThat(apply(folder, "--dry-run")).isEqualTo(ApplyCommand.DIFFERENT);
        assertThat(output())
                .contains("~ permission /acl/shop-orders  (permissions/customers.yml)")
                .contains("~ mongo.readFilter: {} → {\"customer\": \"@user._id\"}", "- note: \"by hand\"")
                .contains("~ collection /orders", "- cacheControl: \"private\"")
                .contains("~ index /orders/_indexes/by-customer")
                .contains("~ keys: {\"at\": -1, \"customer\": 1} → {\"customer\": 1, \"at\": -1}")
                .contains("~ roles: [\"merchant\", \"editor\"] → [\"merchant\"]")
                .contains("0 to be created, 4 to be changed")
                .doesNotContain("password");
        assertThat(everything()).isEqualTo(before);
        assertThat(apply(folder)).as(output()).isZero();
        assertThat(apply(folder, "--dry-run")).as(output()).isZero();
        assertThat(gateway.stored("users", "merchant").getString("phone").getValue())
                .isEqualTo("1");
        assertThat(sales()).isEqualTo(401);

        assertThat(apply(folder, "--passwords")).as(output()).isZero();
        assertThat(output()).contains("+ password: ***").doesNotContain(PASSWORD);
        assertThat(sales()).isEqualTo(200);
    }

    /// The status for merchants with the password of the folder.
    private int sales() {
        return gateway.anonymous()
                .as("merchant", PASSWORD)
                .get("/orders/_aggrs/sales-per-day")
                .statusCode();
    }

    private void copyShop() throws IOException {
        try (Stream<Path> files = Files.walk(SHOP).filter(Files::isRegularFile)) {
            for (var each : files.toList()) {
                file(SHOP.relativize(each).toString(), Files.readString(each));
            }
        }
    }

    @Test
    void pruning_removes_what_the_kinds_of_the_folder_own_and_nothing_else() throws Exception {
        copyShop();
        assertThat(apply(folder)).as(output()).isZero();
        var admin = gateway.as("admin");
        admin.put("/others", "{}");
        admin.put("/products/_indexes/old", "{\"keys\": {\"old\": 1}}");
        admin.post("/acl", "{\"roles\": [\"x\"], \"predicate\": \"path('/x')\"}");
        admin.post("/users", "{\"_id\": \"eve\", \"password\": \"mild-Fern.Orbits3\", \"roles\": [\"customer\"]}");
        assertThat(apply(folder, "--dry-run", "--prune")).isEqualTo(ApplyCommand.DIFFERENT);
        assertThat(output())
                .contains("- index /products/_indexes/old", "- permission /acl/", "2 to be removed")
                .doesNotContain("eve", "others", "admin");
        assertThat(apply(folder, "--prune")).as(output()).isZero();
        assertThat(output()).contains("0 created, 0 changed, 2 removed");
        assertThat(gateway.collection("acl").countDocuments()).isEqualTo(7);
        assertThat(gateway.stored("users", "eve")).isNotNull();

        assertThat(apply(folder, "--prune-accounts")).as(output()).isZero();
        assertThat(output())
                .contains("- account /users/ada", "- account /users/bob", "- account /users/eve", "3 removed");
        assertThat(gateway.stored("users", "admin")).isNotNull();
        assertThat(gateway.database().listCollectionNames()).contains("others");
    }

    @Test
    void a_bad_file_is_named_and_nothing_is_done() throws Exception {
        var all = folder;
        var bad = new String[][] {
            {"permissions/p.yml", "roles: [a\npredicate: 'hush-Hush.Now7", "is not valid YAML"},
            {"permissions/q.json", "{\"roles\": 'hush-Hush.Now7", ""},
            {"permissions/l.yml", "- roles: [a]", "needs an _id"},
            {"permissions/n.yml", "- {_id: 'x-${env:MERCHANT_PASSWORD}', roles: [a]}", "without references"},
            {"permissions/t.yml", "{roles: [a], roles: [b]}", "a key occurs twice"},
            {"accounts/c.yml", "password: ${env:NOT_SET}", "the variable NOT_SET is not set"},
            {"accounts/d.yml", "password: ${file:none}", "there is no file none"},
            {"accounts/e.yml", "password: ${file:../collections}", "cannot read ../collections"},
            {"accounts/f.yml", "password: ${file:long}", "long has more than 64 KiB"},
            {"accounts/g.yml", "password: ${file:empty}", "empty is empty"},
            {"accounts/z.yml", "_id: dev", "the _id is the name of the file"},
            {"collections/c.yml", "indexes: {a: {unique: true}}", "the index a has no keys"},
            {"collections/h.yml", "indexes: {a: {keys: {a: 1}, ops: {uniqe: true}}}", "unknown index option uniqe"},
            {"collections/i.yml", "indexes: {a: {keys: {a: 1}, unique: true}}", "options stand below ops"},
            {"collections/j.yml", "indexes: {a: {keys: {a: 1}, ops: 1}}", "ops must be a json object"},
            {"collections/d.yml", "[1]", "an object is expected"},
            {"collections/e.yml", "a.b: 1", "nested objects"},
            {"collections/f/g.yml", "", "collections/f: a file"},
            {"collections/good.json", "{}", "has a file already"},
            {"permission/r.yml", "{}", "permission: is none of accounts, collections"},
            {"databases/d/collections/c.yml", "{}", "one database only"}
        };
        for (int i = 0; i < bad.length; i++) {
            folder = all.resolve("" + i);
            file(bad[i][0], bad[i][1]);
            file("collections/good.yml", "");
            file("accounts/long", "a".repeat(65_537));
            file("accounts/empty", " ");
            assertThat(apply(folder)).as(bad[i][0]).isEqualTo(Transfer.FAILED);
            assertThat(output())
                    .contains("ERROR " + bad[i][0].substring(0, bad[i][0].indexOf('/')), bad[i][2])
                    .doesNotContain("hush");
        }
        assertThat(gateway.database().listCollectionNames()).doesNotContain("good");
    }

    @Test
    void who_may_not_is_told_and_nothing_is_done() throws Exception {
        file("collections/c.yml", "");
        assertThat(applyAs("admin:hush-Hush.Now7", folder)).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("401", "RESTHEART_USER").doesNotContain("hush");
        file("accounts/c.yml", "roles: [a]");
        assertThat(applyAs("bob:bob-pw", folder)).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("ERROR accounts: this account sees no collection of accounts");
        assertThat(gateway.database().listCollectionNames()).doesNotContain("c");
        assertThat(apply(folder.resolve("none"))).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("there is no folder");
    }

    @Test
    void an_interrupted_run_says_what_was_done_and_goes_on() throws Exception {
        file("collections/a.yml", "indexes: {u: {keys: {n: 1}, ops: {unique: true}}}");
        file("database.yml", "{descr: shop}");
        file("permissions/p.yml", "{roles: [a], predicate: \"no-such-thing('/a')\"}");
        file("permissions/q.yml", "{roles: [a], predicate: \"path('/a')\"}");
        assertThat(apply(folder)).isEqualTo(ApplyCommand.BROKEN_OFF);
        assertThat(output())
                .contains("ERROR permissions/p.yml: the gateway answers 400")
                .contains("done  ~ database /  (", "done  + collection /a", "done  + index /a/_indexes/u")
                .contains("not done  + permission /acl/p", "not done  + permission /acl/q");
        file("permissions/p.yml", "{_id: p, roles: [a], predicate: \"path('/b')\"}");
        assertThat(apply(folder)).as(output()).isZero();
        assertThat(output()).contains("2 created, 0 changed, 0 removed; 3 as the folder says");
    }

    @Test
    void an_index_that_cannot_be_built_anew_stays_as_it_was() throws Exception {
        file("collections/a.yml", "indexes: {t: {keys: {a: text, n: 1}, ops: {weights: {a: 3}}}, u: {keys: {n: 1}}}");
        assertThat(apply(folder)).as(output()).isZero();
        assertThat(apply(folder, "--dry-run")).as(output()).isZero();
        gateway.as("admin").post("/a", "[{\"n\": 1}, {\"n\": 1}]");
        file(
                "collections/a.yml",
                "indexes: {t: {keys: {a: text, n: 1}, ops: {weights: {a: 3}}}, u: {keys: {n: 1}, ops: {unique: true}}}");
        var before = everything();
        assertThat(apply(folder)).isEqualTo(ApplyCommand.BROKEN_OFF);
        assertThat(output())
                .contains(
                        "ERROR collections/a.yml: the gateway answers",
                        "Duplicate key error",
                        "put back  ~ index /a/_indexes/u");
        assertThat(everything()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"de", "simple"})
    void an_index_that_is_put_back_keeps_its_collation(String locale) throws Exception {
        gateway.database()
                .createCollection(
                        "a",
                        new CreateCollectionOptions()
                                .collation(Collation.builder().locale("fr").build()));
        file("collections/a.yml", "indexes: {u: {keys: {n: 1}, ops: {collation: {locale: " + locale + "}}}}");
        assertThat(apply(folder)).as(output()).isZero();
        gateway.as("admin").post("/a", "[{\"n\": 1}, {\"n\": 1}]");
        var before = everything();
        file("collections/a.yml", "indexes: {u: {keys: {n: 1}, ops: {unique: true}}}");
        assertThat(apply(folder)).isEqualTo(ApplyCommand.BROKEN_OFF);
        assertThat(output()).contains("put back  ~ index").doesNotContain("WARN");
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void the_commands_of_the_page_work() throws Exception {
        var commands = Files.readString(Path.of("../docs/how-to/apply.md"))
                .lines()
                .filter(line -> line.startsWith("./run apply "))
                .toList();
        var codes = new ArrayList<Integer>();
        for (var command : commands) {
            var words = List.of(command.substring("./run apply ".length()).split(" ", -1));
            codes.add(apply(
                    Path.of("..").resolve(words.getLast()),
                    words.subList(0, words.size() - 1).toArray(String[]::new)));
        }
        assertThat(codes).as(output()).containsExactly(1, 0, 0);
    }

    @Test
    void several_databases_have_folders_of_their_own(TestMongo mongo) throws Exception {
        var name = mongo.newDatabaseName();
        gateway.close();
        gateway = TestGateway.startMounted(mongo, "[{what: '*', where: /}]", "");
        file("databases/" + name + "/collections/c.yml", "{descr: c}");
        assertThat(apply(folder)).as(output()).isZero();
        assertThat(output()).contains("+ database /" + name, "+ collection /" + name + "/c");
        assertThat(apply(folder)).as(output()).isZero();
        assertThat(output()).contains("0 created, 0 changed, 0 removed; 2 as the folder says");
        gateway.as("admin").patch("/" + name, "{\"descr\": \"mine\"}");
        assertThat(apply(folder)).as(output()).isZero();
        assertThat(gateway.as("admin").get("/" + name + "/_meta").body()).contains("mine");
        file("collections/c.yml", "");
        assertThat(apply(folder)).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("ERROR collections: the gateway has several databases here");
    }

    @Test
    void what_others_change_meanwhile_is_not_overwritten() throws Exception {
        file("permissions/p.yml", "{roles: [a], predicate: \"path('/a')\"}");
        assertThat(apply(folder)).as(output()).isZero();
        file("permissions/p.yml", "{roles: [b], predicate: \"path('/a')\"}");
        var admin = gateway.as("admin");
        whilePrinting = () -> admin.patch("/acl/p", "{\"roles\": [\"c\"]}");
        assertThat(apply(folder)).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("ERROR permissions/p.yml: somebody else has changed it meanwhile");
        assertThat(gateway.stored("acl", "p").getArray("roles").toString()).contains("c");
    }

    @Test
    void indexes_are_compared_by_what_they_mean() throws Exception {
        gateway.database()
                .createCollection(
                        "b",
                        new CreateCollectionOptions()
                                .collation(Collation.builder().locale("fr").build()));
        file(
                "collections/b.yml",
                "indexes: {i: {keys: {a: 1}}, t: {keys: {$**: text}, ops: {collation: {locale: simple}}}}");
        file("collections/a.yml", """
            indexes:
              text: {keys: {n: 1, title: text, body: text}, ops: {weights: {title: 3.0, extra: 2}, name: other}}
              plane: {keys: {where: 2d}, ops: {min: -180, max: 180, bits: 26}}
              sphere: {keys: {at: 2dsphere}, ops: {sparse: true, unique: false}}
              collated: {keys: {c: 1.0}, ops: {unique: true, collation: {locale: fr, collationStrength: 2}, hidden: true}}
              simple: {keys: {s: 1}, ops: {collation: {locale: simple}}}
              partial: {keys: {p: 1}, ops: {partialFilterExpression: {p: {$gt: 5.0}}, expireAfterSeconds: 60}}
              wild: {keys: {$**: 1}, ops: {wildcardProjection: {a: 1}}}
            """);
        assertThat(apply(folder)).as(output()).isZero();
        var before = everything();
        assertThat(apply(folder, "--dry-run", "--prune")).as(output()).isZero();
        assertThat(apply(folder)).as(output()).isZero();
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void a_renamed_index_takes_the_place_of_the_old_one() throws Exception {
        file("collections/a.yml", "indexes: {old: {keys: {n: 1}}, text: {keys: {a: text}}}");
        assertThat(apply(folder)).as(output()).isZero();
        file("collections/a.yml", "indexes: {new: {keys: {n: 1}}, words: {keys: {b: text}}}");
        assertThat(apply(folder)).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("/a/_indexes/old stands in the way of /a/_indexes/new");
        assertThat(apply(folder, "--prune")).as(output()).isZero();
        assertThat(output()).contains("~ name: old → new", "0 created, 2 changed, 0 removed");
        assertThat(apply(folder, "--dry-run", "--prune")).as(output()).isZero();
    }

    @Test
    void accounts_under_other_properties_keep_their_passwords_and_are_not_pruned(TestMongo mongo) throws Exception {
        gateway.close();
        gateway = TestGateway.startWithRealm(
                mongo, TestGateway.REALM.replace("}", ", prop-id: email, prop-password: pwd}"), "");
        gateway.collection("users")
                .insertOne(BsonDocument.parse("{_id: 'boss', email: 'b@x.org', roles: ['admin'], pwd: '"
                        + TestGateway.hash("boss-pw") + "'}"));
        file("accounts/eve.yml", "{email: e@x.org, pwd: '${env:MERCHANT_PASSWORD}', roles: [editor]}");
        assertThat(applyAs("b@x.org:boss-pw", folder)).as(output()).isZero();
        assertThat(applyAs("b@x.org:boss-pw", folder, "--dry-run")).as(output()).isZero();
        assertThat(applyAs("b@x.org:boss-pw", folder, "--prune-accounts")).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("has no document whose _id is b@x.org");
        assertThat(gateway.stored("users", "boss")).isNotNull();
    }

    @Test
    void a_schema_keeps_references_to_its_own_id() throws Exception {
        var schema = """
            $schema: http://json-schema.org/draft-07/schema#
            $id: http://example.org/s.json
            definitions: {n: {type: integer}}
            properties: {n: {$ref: 'http://example.org/s.json#/definitions/n'}}
            """;
        file("schemas/s.yml", schema);
        assertThat(apply(folder)).as(output()).isZero();
        var properties = schema().get("properties");
        file("schemas/s.yml", schema + "title: changed");
        assertThat(apply(folder)).as(output()).isZero();
        assertThat(schema()).containsEntry("properties", properties).containsKey("title");
    }

    private BsonDocument schema() {
        return BsonDocument.parse(gateway.as("admin").get("/_schemas/s").body());
    }

    @Test
    void what_takes_rights_comes_last_and_an_empty_folder_removes_nothing() throws Exception {
        gateway.permit("{_id: 'old', roles: ['x'], predicate: \"path('/x')\"}");
        file("permissions/README.md", "none yet");
        assertThat(apply(folder, "--prune")).as(output()).isZero();
        assertThat(gateway.stored("acl", "old")).isNotNull();
        file("permissions/p.YML", "{roles: [a], predicate: \"path('/a')\"}");
        file("accounts/admin.yml", "phone: '1'");
        file("accounts/bob.yml", "roles: [a]");
        file("collections/pictures.files.yml", "indexes: {i: {keys: {a: 1}}}");
        assertThat(apply(folder, "--prune")).as(output()).isZero();
        assertThat(output())
                .containsSubsequence(
                        "~ account /users/bob",
                        "+ permission /acl/p",
                        "- permission /acl/old",
                        "~ account /users/admin")
                .doesNotContain("- index");
        assertThat(apply(folder, "--prune", "--dry-run")).as(output()).isZero();
    }

    @Test
    void an_account_can_finish_and_repeat_what_takes_rights_from_itself() throws Exception {
        gateway.permit("deployer", "path-prefix('/')", "{allowManagementRequests: true, allowWriteMode: true}");
        gateway.permit("{_id: 'old', roles: ['x'], predicate: \"path('/x')\"}");
        gateway.permit("{_id: 'p', roles: ['x'], predicate: \"path('/x')\"}");
        gateway.insertUsers("{_id: 'ci', roles: ['deployer', 'x']}");
        file("permissions/p.yml", "{roles: [a], predicate: \"path('/a')\"}");
        file("accounts/ci.yml", "{roles: [deployer], password: '${env:MERCHANT_PASSWORD}'}");
        assertThat(applyAs("ci:pw", folder, "--prune", "--dry-run")).isEqualTo(ApplyCommand.DIFFERENT);
        assertThat(output()).contains("WARN  /acl/deployer is for a role of ci", "WARN  /acl/old");
        assertThat(applyAs("ci:pw", folder, "--prune", "--passwords"))
                .as(output())
                .isZero();
        assertThat(output()).containsSubsequence("~ permission /acl/p", "~ account /users/ci");
        assertThat(applyAs("ci:" + PASSWORD, folder, "--prune")).as(output()).isZero();
        assertThat(output()).contains("WARN  /acl/deployer", "- permission /acl/old", "1 removed");
        file("accounts/ci.yml", "{roles: [deployer], password: another-Birch.Sings4}");
        file("permissions/p.yml", "{roles: [b], predicate: \"path('/a')\"}");
        gateway.permit("{_id: 'old', roles: ['x'], predicate: \"path('/x')\"}");
        assertThat(applyAs("ci:" + PASSWORD, folder, "--prune", "--passwords"))
                .as(output())
                .isZero();
        assertThat(output()).containsSubsequence("~ permission /acl/p", "- permission /acl/old", "~ account /users/ci");
        assertThat(gateway.stored("acl", "deployer")).isNotNull();
    }

    @Test
    void representations_and_collections_of_documents_make_no_difference(TestMongo mongo) throws Exception {
        gateway.close();
        gateway = TestGateway.startWithData(
                mongo,
                "default-representation-format: HAL, ",
                "graphql: {enabled: true, db: $db, collection: gql-apps}\n");
        copyShop();
        file("collections/gql-apps.yml", "{descr: apps, indexes: {}}");
        assertThat(apply(folder)).as(output()).isZero();
        assertThat(apply(folder, "--prune", "--dry-run")).as(output()).isZero();
        userInfo = "u:hush@";
        assertThat(apply(folder)).isEqualTo(Transfer.FAILED);
        assertThat(output()).contains("credentials do not stand in --url").doesNotContain("hush");
    }
}
