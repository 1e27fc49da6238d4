package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClient;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.LogLines;
import org.restheart.testkit.EventStreamClient;
import org.restheart.testkit.OwnMongod;
import org.restheart.testkit.TestClient;

/// A gateway whose account in MongoDB has exactly the roles of docs/reference/privileges.md.
class MongoPrivilegesTest extends LaunchFixture {
    private static final Path PAGE = Path.of("../docs/reference/privileges.md");
    private static final Pattern ROLE =
            Pattern.compile("^\\{role: \"(\\w+)\".*?\\]}\\]}$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final String AUTHORIZATION = "Authorization: " + TestClient.basic("admin", "secret");
    private static final String UPLOAD = """
        --b\r
        Content-Disposition: form-data; name="properties"\r
        \r
        {"_id": "a"}\r
        --b\r
        Content-Disposition: form-data; name="file"; filename="a.txt"\r
        \r
        hello\r
        --b--\r
        """;

    private final Map<String, BsonDocument> roles = new TreeMap<>();
    private OwnMongod mongod;
    private MongoClient root;

    @BeforeEach
    void start() throws IOException {
        mongod = launchWithAccounts();
        root = rootOf(mongod);
        var matcher = ROLE.matcher(Files.readString(PAGE));
        while (matcher.find()) {
            var role = BsonDocument.parse(matcher.group());
            roles.put(matcher.group(1), role);
            admin(
                    root,
                    "{createRole: '%s', roles: [], privileges: %s}"
                            .formatted(
                                    matcher.group(1),
                                    new BsonDocument("p", role.get("privileges"))
                                            .toJson()
                                            .replaceFirst("^\\{\"p\": (.*)}$", "$1")));
        }
        assertThat(roles).hasSizeGreaterThan(8);
    }

    @AfterEach
    void stop() {
        root.close();
        mongod.close();
    }

    /// The account with these roles, and the gateway.
    private RunningServer gateway(String more, Set<String> granted) {
        var names = new BsonArray(granted.stream().map(BsonString::new).toList());
        root.getDatabase("admin")
                .runCommand(BsonDocument.parse("{createUser: 'gateway', pwd: 'gateway'}")
                        .append("roles", names));
        var outcome = launch(
                "/http-listener/port->0; /http-listener/host->'127.0.0.1'; /mongo/mongo-mounts[1]/what->'/shop';"
                        + "/logging/log-to-console->false; /mongoRealmAuthenticator/bcrypt-complexity->4; /apiKeyAuthMechanism/enabled->true;"
                        + more,
                "--mongo",
                "mongodb://gateway:gateway@127.0.0.1:" + mongod.port() + "/?replicaSet=own");
        assertThat(outcome).as(err()).isInstanceOf(Launch.Outcome.Running.class);
        return ((Launch.Outcome.Running) outcome).server();
    }

    /// The commands that MongoDB has refused for want of a privilege.
    private Set<String> refused() throws IOException {
        var command = Pattern.compile("not authorized on (\\S+ to execute command \\{.{0,300})");
        return Files.readAllLines(folder.resolve("data.log")).stream()
                .filter(line -> line.contains("Checking authorization failed"))
                .map(line -> {
                    var matcher = command.matcher(line);
                    return matcher.find() ? matcher.group(1) : line;
                })
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static HttpResponse<String> send(RunningServer server, String request) {
        var parts = request.split(" ", 3);
        var body = parts.length == 3 ? parts[2] : "";
        var client = TestClient.of(server.uri().getPort()).as("admin", "secret");
        if (parts[0].equals("GUESS")) {
            return TestClient.of(server.uri().getPort()).as("nobody", "wrong").get(parts[1]);
        }
        if (parts[1].contains("/_streams/")) {
            return client.with("Accept", "text/event-stream").get(parts[1]);
        }
        if (parts[0].equals("KEYED")) {
            return client.with("Idempotency-Key", "k" + body.hashCode()).json("POST", parts[1], body);
        }
        if (parts[0].equals("DELETE")
                && !parts[1].contains("_indexes")
                && parts[1].chars().filter(c -> c == '/').count() < 2) {
            var tag = client.get((parts[1].equals("/") ? "" : parts[1]) + "/_meta")
                    .headers()
                    .firstValue("ETag");
            return client.with("If-Match", tag.orElse("none")).delete(parts[1]);
        }
        return client.with(
                        "Content-Type", body.startsWith("--") ? "multipart/form-data; boundary=b" : "application/json")
                .send(parts[0], parts[1], body);
    }

    private static String listen(RunningServer server) throws IOException {
        try (var events =
                new EventStreamClient(server.uri().getPort(), "GET /c/_streams/s", List.of(AUTHORIZATION), "") {}) {
            return events.status();
        }
    }

    private static final String SESSION = "/_sessions/11111111-1111-4111-8111-111111111111";

    /// In this order, each with the status.
    private static final List<String> USES = List.of(
            "201 PUT / {}",
            "201 PUT /c {\"aggrs\": [{\"uri\": \"a\", \"stages\": []}], \"streams\": [{\"uri\": \"s\", \"stages\":"
                    + " []}]}",
            "201 POST /c {\"_id\": 1}",
            "200 POST /c [{\"_id\": 2, \"n\": 1}, {\"_id\": 3, \"n\": 1}]",
            "201 PUT /c/x?wm=upsert {\"n\": 1}",
            "200 PATCH /c/x {\"$inc\": {\"n\": 1}}",
            "200 PATCH /c/*?filter=%7B%22n%22:1%7D {\"m\": 1}",
            "200 GET /c?count&pagesize=1&page=2",
            "200 GET /c/x",
            "200 GET /c/_size",
            "200 GET /c/_meta",
            "200 GET /c?explain",
            "200 GET /c/_aggrs/a",
            "200 GET /",
            "200 GET /_openapi",
            "200 GET /_access",
            "201 KEYED /c {\"_id\": \"k\"}",
            "201 PUT /c/_indexes/n {\"keys\": {\"n\": 1}}",
            "200 GET /c/_indexes",
            "204 DELETE /c/_indexes/n",
            "201 PUT /_schemas {}",
            "201 PUT /_schemas/s?wm=upsert {\"type\": \"object\"}",
            "200 PATCH /c {\"jsonSchema\": {\"schemaId\": \"s\"}}",
            "201 PUT /c/_validator",
            "200 GET /c/_validator",
            "200 GET /c/_violations",
            "200 PATCH /c/x {\"$inc\": {\"n\": 1}}",
            "204 DELETE /c/_validator",
            "201 PUT /pictures.files {}",
            "201 POST /pictures.files " + UPLOAD,
            "200 GET /pictures.files/a/binary",
            "204 DELETE /pictures.files/a",
            "201 POST " + SESSION + "/_txns",
            "201 POST /c?sid=11111111-1111-4111-8111-111111111111&txn=1 {\"_id\": \"t\"}",
            "200 PATCH " + SESSION + "/_txns/1",
            "200 DELETE " + SESSION,
            "201 POST /_apikeys {\"days\": 9}",
            "202 POST /_imports?into=/c [{\"_id\": \"i\"}]",
            "200 POST /token",
            "204 DELETE /token",
            "200 GET /metrics",
            "200 GET /health/db",
            "204 DELETE /c/x",
            "204 DELETE /c",
            "204 DELETE /");

    @Test
    void all_features_work_with_the_roles_of_the_page() throws Exception {
        var granted = new TreeSet<>(roles.keySet());
        granted.remove("orders");
        try (var server = gateway("", granted)) {
            var wrong = new ArrayList<String>();
            for (var use : USES) {
                if (use.contains("DELETE /c/x")) {
                    assertThat(listen(server)).contains("200");
                }
                var answer = send(server, use.substring(4));
                if (answer.statusCode() != Integer.parseInt(use.substring(0, 3))) {
                    wrong.add(use + ": " + answer.statusCode() + " " + answer.body());
                }
            }
            assertThat(wrong).isEmpty();
        }
        assertThat(refused()).isEmpty();
    }

    private static String inFiles(String role, String permission) {
        return "/basicAuthMechanism/authenticator->'fileRealmAuthenticator'; /mongoAclAuthorizer/enabled->false;"
                + "/mongoRealmAuthenticator/enabled->false; /apiKeyAuthMechanism/enabled->false;"
                + "/fileRealmAuthenticator->{\"enabled\": true, \"users\": [{\"userid\": \"admin\", \"password\":"
                + " \"secret\", \"roles\": [\"" + role + "\"]}]}; /fileAclAuthorizer->{\"enabled\": true,"
                + " \"permissions\": [{\"role\": \"" + role + "\", \"predicate\": \"path-prefix(/)\", \"mongo\":"
                + " {\"readFilter\": {\"by\": \"a\"}, \"writeFilter\": {\"by\": \"a\"}, \"allowWriteMode\": true,"
                + " \"allowManagementRequests\": true, \"allowBulkPatch\": true" + permission + "}}]}";
    }

    @Test
    void one_collection_takes_its_role_alone_with_accounts_and_permissions_in_files() throws Exception {
        root.getDatabase("shop").createCollection("orders");
        try (var server = gateway(inFiles("a", ""), Set.of("orders"))) {
            var wrong = new ArrayList<String>();
            for (var use : USES_OF_ONE_COLLECTION) {
                var answer = send(server, use.substring(4));
                if (answer.statusCode() != Integer.parseInt(use.substring(0, 3))) {
                    wrong.add(use + ": " + answer.statusCode() + " " + answer.body());
                }
            }
            assertThat(wrong).isEmpty();
        }
        assertThat(refused()).noneMatch(MongoPrivilegesTest::isMissed);
    }

    /// Changes of properties are noticed without a stream, too, and deep pages are found without their sort's index.
    private static boolean isMissed(String refused) {
        return refused.startsWith("shop") && !refused.contains("$changeStream") && !refused.contains("listIndexes");
    }

    @Test
    void checked_writes_take_find_in_the_whole_database() throws Exception {
        root.getDatabase("shop").createCollection("orders");
        admin(
                root,
                "{createRole: 'checks', roles: [], privileges: [{resource: {db: 'shop', collection: ''}, actions:"
                        + " ['find']}]}");
        try (var server = gateway(inFiles("a", ", \"checkWritten\": true"), Set.of("orders", "checks"))) {
            assertThat(send(server, "POST /orders {\"by\": \"a\"}").statusCode())
                    .isEqualTo(201);
            assertThat(send(server, "POST /orders {\"by\": \"b\"}").statusCode())
                    .isEqualTo(403);
            assertThat(refused()).noneMatch(MongoPrivilegesTest::isMissed);
            grant(Set.of("orders"));
            await().untilAsserted(() -> assertThat(
                            send(server, "POST /orders {\"by\": \"a\"}").body())
                    .contains("lacks a privilege: find"));
        }
    }

    private static final List<String> USES_OF_ONE_COLLECTION = List.of(
            "201 POST /orders {\"_id\": 1, \"by\": \"a\"}",
            "200 POST /orders [{\"_id\": 2, \"n\": 1, \"by\": \"a\"}, {\"_id\": 3, \"n\": 1, \"by\": \"a\"}]",
            "201 PUT /orders/x?wm=upsert {\"n\": 1, \"by\": \"a\"}",
            "200 PUT /orders/x {\"n\": 1, \"by\": \"a\"}",
            "200 PATCH /orders/x {\"$inc\": {\"n\": 1}}",
            "200 PATCH /orders/*?filter=%7B%22n%22:1%7D {\"m\": 1}",
            "200 GET /orders?count&pagesize=1&page=2",
            "200 GET /orders/x",
            "200 GET /orders/_size",
            "404 GET /unknown",
            "200 GET /",
            "204 DELETE /orders/x");

    /// What becomes of a request without one action of one role. Some are done without.
    private static final Map<String, String> WITHOUT = Map.ofEntries(
            Map.entry("data find", "403 GET /c/1?id_type=NUMBER"),
            Map.entry("data insert", "403 POST /c {}"),
            Map.entry("data update", "403 PATCH /c/1?id_type=NUMBER {\"a\": 1}"),
            Map.entry("data remove", "403 DELETE /c/1?id_type=NUMBER"),
            Map.entry("data listCollections", "403 GET /unknown"),
            Map.entry("manage listIndexes", "403 GET /c/_indexes"),
            Map.entry("manage createIndex", "403 PUT /c/_indexes/n {\"keys\": {\"n\": 1}}"),
            Map.entry("manage dropIndex", "403 DELETE /c/_indexes/n"),
            Map.entry("manage collMod", "403 PUT /c/_validator"),
            Map.entry("manage dropCollection", "403 DELETE /c"),
            Map.entry("manage dropDatabase", "403 DELETE /"),
            Map.entry("files createIndex", "403 POST /pictures.files " + UPLOAD),
            Map.entry("keys createIndex", "403 KEYED /c {}"),
            Map.entry("streams changeStream", "403 GET /c/_streams/s"),
            Map.entry("accounts insert", "403 POST /_apikeys {\"days\": 9}"),
            Map.entry("accounts update", "403 PATCH /_apikeys/$key {\"disabled\": true}"),
            Map.entry("accounts remove", "403 DELETE /_apikeys/$key"),
            Map.entry("accounts find", "503 GUESS /c"),
            Map.entry("indexes createIndex", "403 POST /_imports?into=/c [{\"_id\": \"i\"}]"),
            Map.entry("accounts listCollections", "200 GET /c"),
            Map.entry("accounts changeStream", "200 GET /c"),
            Map.entry("indexes listIndexes", "200 GET /c"),
            Map.entry("samples collStats", "200 GET /_openapi"),
            Map.entry("concern getDefaultRWConcern", "201 POST /c {}"));

    @Test
    void a_missing_privilege_is_named() throws Exception {
        var pairs = new TreeMap<String, BsonDocument>(); // by role and action
        roles.forEach((role, document) -> {
            var privilege = document.getArray("privileges").get(0).asDocument();
            privilege
                    .getArray("actions")
                    .forEach(action -> pairs.put(
                            role + " " + action.asString().getValue(),
                            privilege.clone().append("actions", new BsonArray(List.of(action)))));
        });
        pairs.keySet().removeIf(pair -> pair.startsWith("orders "));
        assertThat(WITHOUT.keySet()).isEqualTo(pairs.keySet());
        pairs.forEach((pair, privilege) ->
                admin(root, "{createRole: '%s', roles: [], privileges: [%s]}".formatted(pair, privilege.toJson())));
        try (var server = gateway("", pairs.keySet());
                var log = new LogLines()) {
            USES.stream().limit(3).forEach(use -> send(server, use.substring(4)));
            send(server, "PUT /_schemas {}");
            send(server, "PUT /_schemas/s?wm=upsert {\"type\": \"object\"}");
            send(server, "PATCH /c {\"jsonSchema\": {\"schemaId\": \"s\"}}");
            send(server, "PUT /pictures.files {}");
            var key = BsonDocument.parse(
                            send(server, "POST /_apikeys {\"days\": 9}").body())
                    .getString("handle")
                    .getValue();
            var wrong = new ArrayList<String>();
            new TreeMap<>(WITHOUT).forEach((pair, use) -> {
                var action = pair.substring(pair.indexOf(' ') + 1);
                var granted = new TreeSet<>(pairs.keySet());
                granted.remove(pair);
                if (action.equals("createIndex") && !pair.startsWith("indexes")) {
                    granted.removeIf(each -> each.endsWith(" createIndex") && !each.startsWith("indexes"));
                }
                grant(granted);
                var answer = send(server, use.substring(4).replace("$key", key));
                if (answer.statusCode() != Integer.parseInt(use.substring(0, 3))
                        || (answer.statusCode() == 403
                                && !use.contains(" /_") // where errors have a message only
                                && !answer.body().contains("lacks a privilege: " + action))) {
                    wrong.add(pair + ": " + use + ": " + answer.statusCode() + " " + answer.body());
                }
            });
            assertThat(wrong).isEmpty();
            grant(pairs.keySet());
            assertThat(send(server, "GET /c/_meta").body()).contains("\"streams\"", "\"jsonSchema\"");
            assertThat(log.all())
                    .anyMatch(line -> line.startsWith("WARN accounts and permissions cannot be looked up: ")
                            && line.contains("lacks a privilege: find"));
        }
    }

    private void grant(Set<String> granted) {
        var names = new BsonArray(granted.stream().map(BsonString::new).toList());
        root.getDatabase("admin")
                .runCommand(BsonDocument.parse("{updateUser: 'gateway'}").append("roles", names));
    }
}
