package org.restheart.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Launch.Outcome;
import org.slf4j.LoggerFactory;

class LaunchTest {
    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /// Besides RHO.
    private Map<String, String> environment = Map.of();

    /// A server that starts sets up the log of the whole JVM.
    @AfterAll
    static void restoreLog() throws JoranException {
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        var joran = new JoranConfigurator();
        joran.setContext(context);
        joran.doConfigure(LaunchTest.class.getResource("/logback-test.xml"));
    }

    private Outcome launch(String rho, String... args) {
        var variables = new HashMap<>(environment);
        variables.put("RHO", rho);
        return new Launch(
                        variables,
                        folder,
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        Instant.now())
                .run(args);
    }

    private int exitCode(String rho, String... args) {
        return switch (launch(rho, args)) {
            case Outcome.Done(int exitCode) -> exitCode;
            case Outcome.Running(var server) -> {
                server.close();
                throw new AssertionError("the server has started");
            }
        };
    }

    private String out() {
        return out.toString(UTF_8);
    }

    private String err() {
        return err.toString(UTF_8);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-h", "--help"})
    void help_is_printed(String option) {
        assertThat(exitCode("", option)).isZero();
        assertThat(out()).startsWith("Usage: java -jar restheart.jar").contains("--embedded-mongo[=DIR]", "CONF_FILE");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-v", "--version"})
    void the_version_is_printed(String option) {
        assertThat(exitCode("", option)).isZero();
        assertThat(out()).matches("RESTHeart Version \\S+ Build-Time \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC\\R");
    }

    @Test
    void an_unknown_option_ends_with_1_and_the_usage_on_standard_output() {
        assertThat(exitCode("", "--nope")).isEqualTo(1);
        assertThat(out()).contains("Unknown option: '--nope'", "Usage: ");
    }

    @Test
    void the_nearest_option_is_named_below_the_usage() {
        assertThat(exitCode("", "--prot=9090")).isEqualTo(1);
        assertThat(out().strip()).endsWith("Unknown option: '--prot=9090'; did you mean --port?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--embedded-mongo | data2 | the directory comes after =: --embedded-mongo=data2",
                "--embedded-mongo | ' '   | the directory comes after =: --embedded-mongo=DIR",
                "--embedded-mongo= | --check | --embedded-mongo= names no directory",
            })
    void a_directory_is_not_taken_for_a_configuration_file(String option, String next, String message) {
        assertThat(exitCode("", option, next)).isEqualTo(1);
        assertThat(out()).contains(message);
    }

    @Test
    void options_that_contradict_each_other_are_a_matter_of_usage() {
        assertThat(exitCode("", "-s", "--mongo", "mongodb://h")).isEqualTo(1);
        assertThat(exitCode("", "-s", "--port", "65536")).isEqualTo(1);
        assertThat(out()).contains("exclude each other");
    }

    @Test
    void without_mongodb_and_a_file_exclude_each_other_but_not_a_file_of_the_environment() throws IOException {
        var file = file("c.yml", "core: {name: mine}").toString();
        assertThat(exitCode("", "-s", file)).isEqualTo(1);
        assertThat(out()).contains("--standalone takes the built-in configuration, not CONF_FILE");
        environment = Map.of("RESTHEART_CONF_FILE", file);
        assertThat(exitCode("", "-s", "-c")).isZero();
        assertThat(out()).contains("default-no-mongodb").doesNotContain("name: mine");
    }

    @Test
    void a_misspelt_variable_of_the_environment_is_told() {
        environment = Map.of("RESTHEART_CONF", "c.yml", "RHO_FIEL", "o.yml", "RHOST", "x", "RESTHEART_PORT", "x");
        exitCode("", "--check");
        assertThat(err())
                .contains(
                        "WARN  the environment variable RESTHEART_CONF has no effect; did you mean RESTHEART_CONF_FILE?")
                .contains("RHO_FIEL has no effect; did you mean RHO_FILE?")
                .doesNotContain("RHOST", "RESTHEART_PORT");
    }

    @Test
    void a_misspelt_command_is_told_where_commands_stand() {
        assertThat(exitCode("", "exprt", "http://localhost/books", "books.bson"))
                .isEqualTo(1);
        assertThat(out()).contains("there is one CONF_FILE, and import and export come before all else");
    }

    @Test
    void a_log_in_without_a_page_and_a_registration_that_nobody_is_told_of_are_named() {
        var on = "/enabled->true;";
        assertThat(exitCode(
                        "/oauthAuthorizationService" + on + "/oauthClientRegistrationService" + on
                                + "/oauthAuthorizationServerMetadataService" + on,
                        "--check"))
                .isZero();
        assertThat(err())
                .contains("WARN  /oauthAuthorizationService/login-url is not set: browsers that are sent to /authorize")
                .contains("WARN  /oauthAuthorizationServerMetadataService/registration-endpoint-uri is not set:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-c", "--printConfiguration", "--print-config"})
    void the_effective_configuration_is_printed_alone_on_standard_output(String option) {
        assertThat(exitCode("/core/name->'a';/core/name->'b';/jwtConfigProvider/key->'k1'", option))
                .isZero();
        assertThat(out())
                .startsWith("http-listener:\n")
                .contains("name: b", "key: '**********'")
                .doesNotContain("k1");
        assertThat(err())
                .isEqualToIgnoringNewLines(
                        "WARN  /jwtConfigProvider/key has fewer than 32 bytes, which can be guessed");
    }

    @Test
    void the_effective_configuration_of_a_short_file_has_the_defaults() throws IOException {
        var file = file("short.yml", "http-listener: {port: 9091}\nmongo: {default-pagesize: 7}\n");
        assertThat(exitCode("", "--print-config", file.toString())).isZero();
        assertThat(out())
                .contains("port: 9091", "host: localhost", "default-pagesize: 7", "max-pagesize: 1000")
                .contains("connection-string: mongodb://127.0.0.1", "log-level: INFO")
                .containsPattern("basicAuthMechanism:\n  enabled: true")
                .containsPattern("ping:\n  enabled: true");
    }

    @Test
    void the_check_opens_the_keystore() throws IOException {
        var keystore = file("keys.p12", "no keys");
        assertThat(exitCode(
                        "/https-listener->{enabled: true, keystore-path: '" + keystore
                                + "', keystore-password: 'p', certificate-password: 'p'}",
                        "--check"))
                .isEqualTo(255);
        assertThat(err()).contains("cannot open the keystore", "keystore-password");
    }

    @Test
    void the_check_says_that_nobody_may_do_anything_without_a_root_role() throws IOException {
        var file = file("short.yml", "http-listener: {port: 9091}\n");
        assertThat(exitCode("", "--check", file.toString())).isEqualTo(255);
        assertThat(err()).contains("/mongoAclAuthorizer/root-role is not set");
        var meant = file("meant.yml", "http-listener: {port: 9091}\nmongoAclAuthorizer: {root-role: null}\n");
        assertThat(exitCode("", "--check", meant.toString())).isZero();
    }

    @Test
    void no_secret_is_printed_however_deep_it_is() {
        var rho = String.join(
                ";",
                "/jwtConfigProvider/key->'S3CRET1'",
                "/mclient/connection-string->'mongodb://u:S3CRET2@h/?tlsCertificateKeyFilePassword=S3CRET3'",
                "/fileRealmAuthenticator/users->[{'userid':'a','password':'S3CRET4','roles':[]}]",
                "/https-listener/keystore-password->'S3CRET5'",
                "/mine/a->{'b':[{'apiKey':'S3CRET6','x':{'client_secret':'S3CRET7','dbPwd':'S3CRET8'}}]}",
                "/mine/token/c->'S3CRET9'",
                "/mine/url->'https://u:S3CRET0@h'");
        for (var option : new String[] {"-c", "--check"}) {
            exitCode(rho, option);
            assertThat(out() + err()).as(option).doesNotContain("S3CRET");
        }
        assertThat(out()).contains("**********");
    }

    @Test
    void secrets_are_printed_when_asked_for() {
        assertThat(exitCode("/jwtConfigProvider/key->'k1'", "-c", "--show-secrets"))
                .isZero();
        assertThat(out()).contains("key: k1");
    }

    @Test
    void a_bad_override_is_a_warning_and_leaves_the_value() {
        assertThat(exitCode("core/name->'x';/core/name->x y;/a/b[2]->1", "-c")).isZero();
        assertThat(err()).contains("path must be absolute", "value is not valid json");
        assertThat(out()).contains("name: default", "a:\n  b:\n    - null\n    - 1\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-t", "--printConfigurationTemplate"})
    void the_built_in_configuration_is_printed_with_its_comments(String option) throws IOException {
        assertThat(exitCode("/core/name->'x'", option)).isZero();
        assertThat(out()).isEqualTo(Files.readString(Path.of("../etc/restheart.yml")));
    }

    @Test
    void a_missing_configuration_ends_with_255_and_its_name() {
        assertThat(exitCode("", "missing.yml")).isEqualTo(255);
        assertThat(err()).contains("missing.yml");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "- not a map",
                "a: [",
                "http-listener: {enabled: false}",
                "http-listener: {port: x}",
                "https-listener: {enabled: true}",
            })
    void a_configuration_that_cannot_be_used_ends_with_255(String yaml) throws IOException {
        assertThat(exitCode("", file("c.yml", yaml).toString())).isEqualTo(255);
        assertThat(err()).startsWith("ERROR ");
    }

    @Test
    void an_override_file_of_an_unknown_kind_ends_with_255() throws IOException {
        assertThat(exitCode("", "-o", file("over.txt", "").toString())).isEqualTo(255);
        assertThat(err()).contains("must have .json, .jsonc, .yml, .yaml or .conf extension");
    }

    @Test
    void a_good_configuration_passes_the_check() {
        assertThat(exitCode("/http-listener/port->9090", "--check")).isZero();
        assertThat(out()).isEqualTo("The configuration is good: built-in\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/mongo/defualt-pagesize->10",
                "/ping/enabled->'x'",
                "core/name->'x'",
                "/core/name->x y",
                "/core/name",
            })
    void what_is_only_a_warning_at_start_fails_the_check(String rho) {
        assertThat(exitCode(rho, "--check")).isEqualTo(255);
        assertThat(err()).contains("1 problem in the configuration: built-in");
    }

    @Test
    void the_check_names_path_and_reason() {
        exitCode("/mongo/defualt-pagesize->10", "--check");
        assertThat(err()).contains("/mongo/defualt-pagesize is not known; did you mean default-pagesize?");
    }

    @Test
    void the_check_shows_as_errors_what_it_counts() {
        exitCode("/mongo/defualt-pagesize->10; /core/requests-limit->5; /authCookieSetter/expires-ttl->9", "--check");
        assertThat(err())
                .contains(
                        "ERROR /mongo/defualt-pagesize",
                        "WARN  /core/requests-limit",
                        "1 problem in the configuration");
    }

    @Test
    void the_check_tells_of_mistakes_in_accounts_of_files() throws IOException {
        file("users.yml", """
                users:
                  - {userid: ada, password: 0123, roles: [a]}
                  - {userid: ada, password: x, roles: [a]}
                  - {userid: bob, password: x, roles: [a], rols: [b]}
                """);
        var conf = file("conf.yml", """
                mongoAclAuthorizer: {root-role: admin}
                fileRealmAuthenticator: {enabled: true, conf-file: users.yml}
                """);
        assertThat(exitCode("", "--check", conf.toString())).isEqualTo(255);
        assertThat(err())
                .contains(
                        "users[1]/password is a number",
                        "users[2]/userid occurs twice: ada",
                        "users[3]/rols has no meaning; did you mean roles?",
                        "2 problems");
    }

    @Test
    void a_filter_of_a_file_that_compares_with_a_plain_text_is_warned_of() throws IOException {
        var conf = file("conf.yml", """
                mongoAclAuthorizer: {root-role: admin}
                fileAclAuthorizer:
                  enabled: true
                  permissions:
                    - {role: user, predicate: path('/a'), mongo: {readFilter: {owner: user._id}}}
                    - {role: user, predicate: path('/b'), mongo: {writeFilter: '{"n": {"gt": 1}}'}}
                    - {role: user, predicate: path('/c'), mongo: {readFilter: '{"or": [{"a": 1}]}'}}
                    - {role: user, predicate: path('/d'), mongo: {mergeRequest: {owner: '{{user._id}}'}}}
                """);
        assertThat(exitCode("", "--check", conf.toString())).isZero();
        assertThat(err())
                .contains("permissions[1] mongo.readFilter has the text user._id for owner; did you mean @user._id?")
                .contains("permissions[2] mongo.writeFilter", "did you mean $gt?")
                .contains("permissions[3] mongo.readFilter has a condition on the property or; did you mean $or?")
                .contains("permissions[4] mongo.mergeRequest has the text {{user._id}} for owner");
    }

    @Test
    void a_variable_that_accounts_of_files_do_not_have_is_warned_of() throws IOException {
        var text = """
                mclient: {enabled: false}
                mongo: {enabled: false}
                graphql: {enabled: false}
                basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
                fileRealmAuthenticator: {enabled: true, users: [{userid: ada, password: pw, roles: [user]}]}
                fileAclAuthorizer:
                  enabled: true
                  permissions:
                    - {role: user, predicate: path('/a'), mongo: {readFilter: {owner: '@user._id'}}}
                """;
        exitCode("", "--check", file("conf.yml", text).toString());
        assertThat(err())
                .contains(
                        "WARN  /fileAclAuthorizer/permissions[1] names @user._id, which accounts of files do not have");
        err.reset();
        exitCode(
                "",
                "--check",
                file("good.yml", text.replace("@user._id", "@user.userid")).toString());
        assertThat(err()).doesNotContain("permissions[1]");
    }

    @Test
    void a_file_that_is_missing_is_named_once_and_what_the_mechanism_needs_is_said() throws IOException {
        var conf = file("conf.yml", """
                mongoAclAuthorizer: {root-role: admin}
                basicAuthMechanism: {authenticator: fileRealmAuthenticator}
                fileRealmAuthenticator: {enabled: true, conf-file: users.yml}
                """);
        assertThat(exitCode("", "--check", conf.toString())).isEqualTo(255);
        assertThat(err())
                .contains("users.yml", "/basicAuthMechanism needs enabled: true")
                .doesNotContain("is required");
    }

    @Test
    void printing_the_configuration_names_what_overrides_misspell() {
        assertThat(exitCode("/http-listner/port->9090;/core/nmae->'x'", "-c")).isZero();
        assertThat(err())
                .contains("/core/nmae is not known; did you mean name?")
                .contains("/http-listner is taken for the arguments of a plugin; did you mean http-listener?");
    }

    @Test
    void the_check_refuses_misspelt_blocks_and_passes_those_of_plugins() {
        assertThat(exitCode("/mongoAclAuthoriser/enabled->true", "--check")).isEqualTo(255);
        assertThat(err())
                .contains("/mongoAclAuthoriser", "did you mean mongoAclAuthorizer?")
                .contains("1 problem in the configuration");
        assertThat(exitCode("/my-own-plugin/enabled->true", "--check")).isZero();
    }

    @Test
    void a_short_file_inherits_defaults_without_a_word() throws IOException {
        assertThat(exitCode(
                        "",
                        "--check",
                        file("short.yml", "http-listener: {port: 9090}\nmongoAclAuthorizer: {root-role: admin}")
                                .toString()))
                .isZero();
        assertThat(err()).isEmpty();
    }

    @Test
    void the_server_starts_and_stops() throws Exception {
        var outcome = launch("/http-listener/port->0; /logging/log-to-console->false", "-s");
        assertThat(outcome).isInstanceOf(Outcome.Running.class);
        var server = ((Outcome.Running) outcome).server();
        URI ping = server.uri().resolve("/ping");
        try (server;
                var client = HttpClient.newHttpClient()) {
            var response = client.send(HttpRequest.newBuilder(ping).build(), BodyHandlers.ofString());
            assertStatus(200, response);
            assertThat(folder.resolve("restheart-0.pid"))
                    .hasContent(String.valueOf(ProcessHandle.current().pid()));
        }
        assertThat(folder.resolve("restheart-0.pid")).doesNotExist();
    }

    @Test
    void a_mongod_of_its_own_is_started_and_used() throws Exception {
        var outcome = launch(
                "/http-listener/port->0; /logging/log-to-console->false", "--embedded-mongo=" + folder.resolve("data"));
        assertThat(outcome).as(err()).isInstanceOf(Outcome.Running.class);
        var server = ((Outcome.Running) outcome).server();
        try (server;
                var client = HttpClient.newHttpClient()) {
            assertThat(out()).contains("curl -ig -u admin:secret -X PUT " + server.uri() + "/");
            var credentials = Base64.getEncoder().encodeToString("admin:secret".getBytes(UTF_8));
            var request = HttpRequest.newBuilder(server.uri().resolve("/books"))
                    .header("Authorization", "Basic " + credentials)
                    .PUT(BodyPublishers.noBody())
                    .build();
            // The first account is created while the server already listens.
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(client.send(request, BodyHandlers.discarding())
                                    .statusCode())
                            .isIn(200, 201));
            var change = HttpRequest.newBuilder(server.uri().resolve("/users/admin"))
                    .header("Authorization", "Basic " + credentials)
                    .header("Content-Type", "application/json")
                    .method("PATCH", BodyPublishers.ofString("{\"password\": \"another\"}"))
                    .build();
            assertStatus(200, client.send(change, BodyHandlers.discarding()));
            var same = "--embedded-mongo=" + folder.resolve("data");
            assertThat(exitCode("/logging/log-to-console->false", "--port=0", same))
                    .isEqualTo(254);
            assertThat(err()).contains("is in use by process", "another directory: --embedded-mongo=DIR");
            assertThat(exitCode("/logging/log-to-console->false", "--reset-admin", same))
                    .isEqualTo(254);
            var remedy = "--reset-admin --mongo 'mongodb://127.0.0.1:";
            assertThat(err()).contains(remedy);
            var uri = err().substring(err().lastIndexOf(remedy) + "--reset-admin --mongo '".length())
                    .replaceFirst("(?s)'.*", "");
            assertThat(exitCode("/logging/log-to-console->false", "--reset-admin", "--mongo", uri))
                    .as(err())
                    .isZero();
        }
        out.reset();
        var again = launch(
                "/http-listener/port->0; /logging/log-to-console->false", "--embedded-mongo=" + folder.resolve("data"));
        try (var _ = ((Outcome.Running) again).server()) {
            assertThat(out()).contains("curl -ig -u USER:PASSWORD ").doesNotContain("secret");
        }
    }

    @Test
    void a_port_that_is_taken_is_told_before_a_mongod_is_started() throws Exception {
        try (var taken = new ServerSocket(0)) {
            var rho = "/logging/log-to-console->false; /http-listener/host->'0.0.0.0'; /http-listener/port->"
                    + taken.getLocalPort();
            assertThat(exitCode(rho, "--embedded-mongo=" + folder.resolve("unused")))
                    .isEqualTo(254);
        }
        assertThat(err()).contains("ERROR ", "for another port start with --port N");
        assertThat(folder.resolve("unused")).doesNotExist();
    }

    /// The DNS refuses to look up a name with a label of more than 63 characters.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mongodb+srv://ada:pw@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example.org/ |"
                        + " the DNS does not say where mongodb+srv://",
                "mongodb+srv://db.example.org:27017/ | is not a valid connection string",
            })
    void a_deployment_that_the_dns_does_not_know_is_a_sentence(String uri, String message) {
        assertThat(exitCode("/logging/log-to-console->false; /http-listener/port->0", "--mongo", uri))
                .isEqualTo(254);
        assertThat(err()).contains("ERROR /mclient/connection-string", message).doesNotContain("pw");
        err.reset();
        assertThat(exitCode("", "--check", "--mongo", uri)).isEqualTo(255);
        assertThat(err()).contains("ERROR /mclient/connection-string", message).doesNotContain("pw");
    }

    @Test
    void overrides_in_place_of_a_configuration_are_told_from_it() throws IOException {
        assertThat(exitCode(
                        "", "--check", file("mcp.yml", "/mcp/enabled: true\n").toString()))
                .isEqualTo(255);
        assertThat(err())
                .contains("/mcp/enabled is an override", "given with -o")
                .doesNotContain("//mcp");
    }

    @Test
    void a_port_that_is_taken_ends_with_254_and_leaves_the_pid_file_of_another_alone() throws Exception {
        var pid = Files.writeString(folder.resolve("restheart-0.pid"), "1\n");
        try (var taken = new ServerSocket(0)) {
            var rho = "/logging/log-to-console->false; /http-listener/host->'0.0.0.0'; /http-listener/port->"
                    + taken.getLocalPort();
            assertThat(exitCode(rho, "-s")).isEqualTo(254);
        }
        assertThat(err()).contains("ERROR ", "for another port start with --port N");
        assertThat(pid).hasContent("1");
    }
}
