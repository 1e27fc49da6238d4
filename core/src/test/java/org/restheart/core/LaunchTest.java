package org.restheart.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Launch.Outcome;
import org.slf4j.LoggerFactory;

class LaunchTest extends LaunchFixture {
    /// A server that starts sets up the log of the whole JVM.
    @AfterAll
    static void restoreLog() throws JoranException {
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        var joran = new JoranConfigurator();
        joran.setContext(context);
        joran.doConfigure(LaunchTest.class.getResource("/logback-test.xml"));
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
        assertThat(exitCode("", "-m", "mongodb://h")).isEqualTo(1);
        assertThat(out().strip()).endsWith("Unknown option: '-m'; did you mean --mongo?");
        assertThat(exitCode("", "-x")).isEqualTo(1);
        assertThat(out().strip()).endsWith("Unknown option: '-x'");
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
        environment = Map.of(
                "RESTHEART_CONF",
                "c.yml",
                "RHO_FIEL",
                "o.yml",
                "RHO_PORT",
                "1",
                "RHOST",
                "x",
                "RESTHEART_PORT",
                "x",
                "RESTHEART_MONGO_PORT",
                "tcp://10.0.0.1:27017",
                "RESTHEART_CORE_NMAE",
                "x");
        assertThat(exitCode("", "--check")).isEqualTo(255);
        assertThat(err())
                .contains("ERROR the environment variable RESTHEART_CONF has no effect; did you mean"
                        + " RESTHEART_CONF_FILE?")
                .contains("RESTHEART_CORE_NMAE has no effect; did you mean RESTHEART_CORE_NAME?")
                .contains("RHO_FIEL has no effect; did you mean RHO_FILE?")
                .doesNotContain("RHOST", "RHO_PORT", "RESTHEART_PORT", "RESTHEART_MONGO_PORT");
    }

    @Test
    void a_misspelt_command_is_told_where_commands_stand() {
        assertThat(exitCode("", "exprt", "http://localhost/books", "books.bson"))
                .isEqualTo(1);
        assertThat(out()).contains("there is one CONF_FILE, and import, export and apply come before all else");
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/mclient/connection-string->mongodb://other:27017 | /mclient/connection-string",
                "/bruteForceAttackGuard/enabld->true | /bruteForceAttackGuard/enabld is not known; did you mean"
                        + " enabled?",
                "/bruteForceAttackGuard->{enabld: true} | /bruteForceAttackGuard/enabld is not known",
                "/brutForceAttackGuard/enabled->true | did you mean bruteForceAttackGuard?",
                "/guard/enabled->true | /guard is not known",
                "/mongo/mongo-mounts[1]/wat->'/x' | /mongo/mongo-mounts[1]/wat is not known; did you mean what?",
                "/fileRealmAuthenticator->{enabled: true, users: [{userid: 'a', password: 'x', roles:"
                        + " ['b']}]};/fileRealmAuthenticator/users[userid='a']/pasword->'y' |"
                        + " /fileRealmAuthenticator/users[1]/pasword has no meaning; did you mean password?",
                "/core/nme/first->'x' | /core/nme is not known; did you mean name?",
                "/http-port->8080 | /http-port is not known",
                "core/name->'x' | path must be absolute: core/name",
                "/core/name->x y | value is not valid json: /core/name",
                "/core/name | missing '->' operator: /core/name",
                "/core/name/first->1 | there is no block to hold first",
                "/fileRealmAuthenticator/users[userid='nobody']/password->'y' | no member has userid 'nobody'",
            })
    void an_override_that_is_malformed_or_unknown_ends_with_255(String rho, String named) throws IOException {
        assertThat(exitCode(rho)).isEqualTo(255);
        assertThat(err()).contains("ERROR ", named);
        err.reset();
        assertThat(exitCode(rho, "--check")).isEqualTo(255);
        assertThat(err()).contains(named);
        err.reset();
        assertThat(exitCode("", "-o", file("over.conf", rho).toString())).isEqualTo(255);
        assertThat(err()).contains(named);
    }

    @ParameterizedTest
    @CsvSource({
        "o.yml, /bruteForceAttackGuard/enabld: true",
        "o.json, {\"/bruteForceAttackGuard/enabld\": true}",
        "o.yml, bruteForceAttackGuard: {enabld: true}",
    })
    void so_does_one_in_a_file_of_overrides(String name, String text) throws IOException {
        assertThat(exitCode("", "-o", file(name, text).toString())).isEqualTo(255);
        assertThat(err()).contains("bruteForceAttackGuard");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/mongo/cursor-batch-size->1000; /mongo/mongo-uri->'mongodb://h'; /core/requests-limit->100",
                "/eager-cursor-allocation-pool-size->100",
                "/graphql/app-def-cache-ttl->1; /authCookieSetter/expires-ttl->9; /ping/secure->true",
                "/accountsConfig/app-name->'x'; /emails/from->'a@b.c'; /registerService/enabled->false",
                "/updatePipelineSecurityChecker/enabled->true; /ajp-listener/port->8009",
                "/core/plugins-packages->[]; /connection-options/MAX_AJP_PACKET_SIZE->8192",
                "/userPwdHasher/enabled->false",
            })
    void an_override_of_a_former_key_is_accepted(String rho) {
        assertThat(exitCode(rho, "--check")).as(err()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "secret",
                "REPLACE",
                "k1-short-k1",
                "REPLACE-this-by-32-random-bytes-or-more",
                "Replace_Me_Replace_Me_Replace_Me_",
                "change-me-change-me-change-me-change-me",
                "ChangeMeChangeMeChangeMeChangeMe",
                "your-256-bit-secret-your-256-bit-secret",
                "a-string-secret-at-least-256-bits-long",
                "a secret of 32 characters or more",
                "secretsecretsecretsecretsecretsecret",
                "${RESTHEART_TOKEN_KEY_OF_THIS_SERVER}",
                "$(RESTHEART_TOKEN_KEY_OF_THIS_SERVER)",
                "<thirty-two bytes that nobody knows>",
            })
    void a_guessable_key_ends_with_255_and_is_not_shown(String key) {
        for (var rho : List.of(
                "/jwtConfigProvider/key->'" + key + "'",
                "/apiKeyAuthMechanism/enabled->true; /apiKeyRealm/pepper->'" + key + "'")) {
            err.reset();
            assertThat(exitCode(rho)).isEqualTo(255);
            assertThat(err())
                    .containsPattern(
                            "ERROR /(jwtConfigProvider/key|apiKeyRealm/pepper) (has fewer than 32|is a placeholder)");
            assertThat(err().replace("openssl rand -base64 32 makes a secret", ""))
                    .doesNotContain(key);
            assertThat(exitCode(rho, "--check")).isEqualTo(255);
        }
    }

    @Test
    void an_override_file_of_an_unknown_kind_ends_with_255() throws IOException {
        assertThat(exitCode("", "-o", file("over.txt", "").toString())).isEqualTo(255);
        assertThat(err()).contains("must have .json, .jsonc, .yml, .yaml or .conf extension");
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
            await().untilAsserted(() -> assertThat(
                            client.send(request, BodyHandlers.discarding()).statusCode())
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
