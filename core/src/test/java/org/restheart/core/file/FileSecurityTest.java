package org.restheart.core.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.Configuration;
import org.restheart.core.config.Finding;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.Sources;
import org.restheart.testkit.TestClient;

class FileSecurityTest {
    private static final String SECURITY = """
        http-listener: {host: 127.0.0.1, port: 0}
        mclient: {enabled: false}
        mongo: {enabled: false}
        ping: {secured: true}
        basicAuthMechanism: {authenticator: fileRealmAuthenticator, enabled: true}
        fileRealmAuthenticator:
          enabled: true
          users:
            - {userid: ada, password: s3cret, roles: [editor], team: red}
            - {userid: bob, password: 12345, roles: []}
            - {userid: off, password: null, roles: [editor]}
        fileAclAuthorizer:
          enabled: true
          permissions:
            - role: editor
              predicate: path('/ping') and equals(@user.team, 'red')
            - role: editor
              predicate: less-than(1, 2)
        """;

    @AutoClose
    private static Gateway gateway;

    private static TestClient anonymous;

    @BeforeAll
    static void start() {
        gateway = Gateway.start(GatewayConfig.parse(SECURITY));
        anonymous = TestClient.of(gateway.address());
    }

    @Test
    void anonymous_callers_are_challenged_with_cors_headers() {
        var response = anonymous.get("/ping");
        assertStatus(401, response);
        assertThat(response.body()).contains("this needs an account");
        assertThat(response.headers().allValues("WWW-Authenticate")).containsExactly("Basic realm=\"RESTHeart Realm\"");
        assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).contains("*");
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json; charset=UTF-8");
        assertThat(response.headers().firstValue("X-Powered-By")).isEmpty();
    }

    @Test
    void accounts_of_the_file_are_admitted_by_its_permissions() {
        assertStatus(200, anonymous.as("ada", "s3cret").get("/ping"));
        assertStatus(401, anonymous.as("ada", "S3cret").get("/ping"));
        assertStatus(403, anonymous.as("bob", "12345").get("/ping"));
        assertStatus(401, anonymous.as("off", "").get("/ping"));
        assertStatus(401, anonymous.as("off", "null").get("/ping"));
        assertStatus(200, anonymous.send("OPTIONS", "/ping", ""));
    }

    @Test
    void a_permission_that_does_not_parse_is_reported_with_its_place() {
        assertThat(Configuration.parse(SECURITY).read().findings())
                .filteredOn(finding -> finding.level() == Finding.Level.SUSPECT)
                .extracting(Finding::toString)
                .containsExactly("/fileAclAuthorizer/permissions[2] is not used: predicate does not parse: "
                        + "unknown predicate less-than at column 1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mongo: {readfilter: {a: 1}} | mongo.readfilter is unknown; did you mean mongo.readFilter?",
                "readFilter: {a: 1} | did you mean mongo.readFilter, within the object mongo?",
                "priorty: 3 | priorty is unknown; did you mean priority?",
                "priority: high | priority must be a number",
                "mongo: {readFilter: {a: '@usr._id'}} | unknown variable @usr._id; did you mean @user?",
                "mongo: {readFilter: '{\"a\": 1} and more'} | mongo.readFilter is not a JSON object",
            })
    void a_permission_of_a_file_that_would_not_restrict_is_not_used_and_said_so(String keys) {
        var parts = keys.split(" \\| ");
        var found = Configuration.parse(SECURITY + "    - {role: x, predicate: \"path('/x')\", " + parts[0] + "}\n")
                .read();
        assertThat(found.findings())
                .filteredOn(finding -> finding.level() == Finding.Level.SUSPECT)
                .extracting(Finding::toString)
                .anyMatch(text -> text.contains("/permissions[3] is not used: ") && text.contains(parts[1]));
    }

    @Test
    void an_unknown_or_disabled_realm_is_refused() {
        assertThatThrownBy(() -> GatewayConfig.parse("basicAuthMechanism: {enabled: true, authenticator: nobody}"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("nobody");
        assertThatThrownBy(() -> GatewayConfig.parse(
                        "basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("not enabled");
    }

    @Test
    void files_are_found_beside_the_configuration(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("users.yml"), "users: [{userid: eve, password: pw, roles: []}]");
        var main = Files.writeString(directory.resolve("main.yml"), """
            fileRealmAuthenticator: {enabled: true, conf-file: users.yml}
            fileAclAuthorizer: {enabled: true, conf-file: nowhere.yml}
            """);
        var meaning = Configuration.load(
                        new Sources(false, Optional.of(main), Optional.empty(), Optional.empty(), Map.of(), Map.of()))
                .read();
        assertThat(meaning.config().security().fileUsers().orElseThrow())
                .singleElement()
                .hasToString("User[eve]");
        assertThat(meaning.findings())
                .filteredOn(finding -> finding.level() == Finding.Level.REFUSED)
                .anySatisfy(finding -> assertThat(finding.text()).contains("nowhere.yml"));
    }
}
