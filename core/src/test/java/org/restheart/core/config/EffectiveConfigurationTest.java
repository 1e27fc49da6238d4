package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EffectiveConfigurationTest {
    private static final String RHO = """
        /core/name -> "from-rho";
        /mongo/mongo-mounts[3]/what -> "/extra";
        /mongo/mongo-mounts[3]/where -> '/extra';
        /fileRealmAuthenticator/users[userid='admin']/password -> 'hunter3';
        /a/b[2] -> 1
        """;

    @TempDir
    private Path folder;

    private static Path resource(String name) {
        var url = EffectiveConfigurationTest.class.getResource(name);
        try {
            return Path.of(Optional.ofNullable(url).orElseThrow().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static Configuration load(Sources sources) {
        return Configuration.load(sources);
    }

    private static Sources all() {
        return Sources.of(Map.of("RHO", RHO)).withFile(resource("custom.yml")).withOverrides(resource("over.yml"));
    }

    @Test
    void is_as_expected_with_secrets_masked() throws Exception {
        assertThat(load(all()).print(false)).isEqualTo(Files.readString(resource("effective.golden.yml")));
    }

    @Test
    void values_may_be_in_files_that_it_names() throws Exception {
        var password = Files.writeString(folder.resolve("password"), "p@ss/w ord\n");
        var key = Files.writeString(folder.resolve("key"), "k".repeat(20) + "0123456789abcdef\n");
        var sources = Sources.of(Map.of(
                "RESTHEART_JWT_CONFIG_PROVIDER_KEY_FILE",
                key.toString(),
                "RHO",
                "/mclient/connection-string -> 'mongodb://gateway:${file:" + password + "}@mongo/'"));
        var configuration = load(sources);
        assertThat(configuration.read().orThrow().mclient().connectionString())
                .isEqualTo("mongodb://gateway:p%40ss%2Fw%20ord@mongo/");
        assertThat(configuration.print(true))
                .contains("${file:" + password + "}", "${file:" + key + "}")
                .doesNotContain("p@ss", "kkkk");
        Files.writeString(password, "renewed");
        assertThat(load(sources).differences(configuration)).containsExactly("/mclient/connection-string");
        Files.delete(key);
        assertThatThrownBy(() -> load(sources).read().orThrow())
                .hasMessageStartingWith("/jwtConfigProvider/key is in a file that cannot be read: " + key);
    }

    @Test
    void a_path_that_one_source_sets_twice_is_told_and_the_last_value_counts() throws Exception {
        var overrides = Files.writeString(folder.resolve("over.conf"), "/core/name -> 'a'");
        var parsed = load(Sources.of(
                        Map.of("RHO", "/core/name -> 'b'; /core/name->'c'", "RHO_FILE", overrides.toString())))
                .read();
        assertThat(parsed.findings())
                .extracting(Finding::toString)
                .filteredOn(text -> text.contains("twice"))
                .singleElement()
                .asString()
                .contains("RHO: /core/name occurs twice, the last one counts");
        assertThat(parsed.orThrow().core().name()).isEqualTo("c");
    }

    @Test
    void each_key_has_a_variable_between_the_file_of_overrides_and_rho() throws Exception {
        var overrides = Files.writeString(folder.resolve("over.yml"), "/core/name: file\n/mongo/max-pagesize: 20\n");
        var sources = Sources.of(Map.of(
                        "RESTHEART_CORE_NAME", "variable",
                        "RESTHEART_MONGO_MAX_PAGESIZE", "30",
                        "RESTHEART_MONGO_DEFAULT_PAGESIZE", "7",
                        "RESTHEART_MONGO_ETAG_CHECK_POLICY_DOC", "REQUIRED",
                        "RESTHEART_CONNECTION_OPTIONS_MAX_ENTITY_SIZE", "5000000000",
                        "RESTHEART_CORE_TRUSTED_PROXIES", "[\"10.0.0.0/8\"]",
                        "RESTHEART_BRUTE_FORCE_ATTACK_GUARD_ENABLED", "false",
                        "RESTHEART_PORT", "tcp://10.0.0.1:8080",
                        "RHO", "/mongo/max-pagesize -> 40"))
                .withOverrides(overrides);
        var configuration = load(sources);
        assertThat(configuration.overrides()).contains("/core/name -> \"variable\" (RESTHEART_CORE_NAME)");
        assertThat(configuration.print(false))
                .contains("name: variable", "max-pagesize: 40", "default-pagesize: 7", "doc: REQUIRED")
                .contains("MAX_ENTITY_SIZE: 5000000000", "    - 10.0.0.0/8");
    }

    @Test
    void a_variable_that_is_no_value_is_refused_by_its_name() {
        assertThatThrownBy(() -> load(Sources.of(Map.of("RESTHEART_MONGO_MAX_PAGESIZE", "many pages")))
                        .read()
                        .orThrow())
                .hasMessageContaining("RESTHEART_MONGO_MAX_PAGESIZE: ")
                .hasMessageContaining("/mongo/max-pagesize");
    }

    @Test
    void shows_secrets_only_when_asked() {
        assertThat(load(all()).print(false)).doesNotContain("hunter");
        assertThat(load(all()).print(true)).contains("hunter2", "hunter3").doesNotContain(Secrets.MASK);
    }

    @Test
    void can_be_used_as_a_configuration_again() {
        var printed = load(all()).print(true);
        assertThat(Configuration.parse(printed).print(true)).isEqualTo(printed);
    }

    @Test
    void says_which_overrides_were_applied_in_their_order() {
        assertThat(load(all().withPort(9090)).overrides()).anyMatch(line -> line.contains("/http-listener/port"));
        assertThat(load(all().withMongo("mongodb://u:hunter2@h")).overrides())
                .containsExactly(
                        "/http-listener/port -> 9090 (" + resource("over.yml") + ")",
                        "/core/name -> \"from-file\" (" + resource("over.yml") + ")",
                        "/mongo/mongo-mounts[1]/what -> \"*\" (" + resource("over.yml") + ")",
                        "/my-plugin/rules -> {\"b\":2} (" + resource("over.yml") + ")",
                        "/core/name -> \"from-rho\" (RHO)",
                        "/mongo/mongo-mounts[3]/what -> \"/extra\" (RHO)",
                        "/mongo/mongo-mounts[3]/where -> \"/extra\" (RHO)",
                        "/fileRealmAuthenticator/users[userid='admin']/password -> \"**********\" (RHO)",
                        "/a/b[2] -> 1 (RHO)",
                        "/mclient/connection-string -> \"mongodb://u:**********@h\" (command line)");
    }

    @Test
    void the_password_of_the_first_account_is_said_to_come_from_its_variable() {
        var name = "RESTHEART_ADMIN_PASSWORD";
        assertThat(load(Sources.of(Map.of(name, "hunter2"))).overrides())
                .containsExactly("/mongoRealmAuthenticator/create-user-password -> \"**********\" (" + name + ")");
        assertThat(load(Sources.of(Map.of(name, "", name + "_FILE", ""))).overrides())
                .isEmpty();
    }

    @Test
    void the_environment_names_the_files() {
        var sources = Sources.of(Map.of(
                "RESTHEART_CONF_FILE",
                resource("custom.yml").toString(),
                "RHO_FILE",
                resource("over.yml").toString()));
        assertThat(load(sources).print(false)).contains("host: 10.0.0.7", "port: 9090");
    }

    @Test
    void an_argument_counts_more_than_the_environment() {
        var sources = Sources.of(Map.of("RESTHEART_CONF_FILE", "/none.yml", "RHO_FILE", "/none.yml"))
                .withFile(resource("custom.yml"))
                .withOverrides(resource("over.yml"));
        assertThat(load(sources).origin()).isEqualTo(resource("custom.yml").toString());
    }

    @Test
    void empty_environment_variables_say_nothing() {
        var sources = Sources.of(Map.of("RESTHEART_CONF_FILE", "", "RHO_FILE", "", "RHO", ""));
        assertThat(load(sources).origin()).isEqualTo("built-in");
        assertThat(load(sources).read().findings()).isEmpty();
    }

    @Test
    void a_file_replaces_the_built_in_configuration() throws Exception {
        var file = Files.writeString(folder.resolve("c.yml"), "ping: {msg: hello}\n");
        assertThat(load(Sources.of(Map.of()).withFile(file)).print(false))
                .startsWith("ping:\n  msg: hello\n  enabled: true\n")
                .doesNotContain("root-role"); // that of the built-in configuration
    }

    @Test
    void a_file_that_is_missing_is_named() {
        assertThatThrownBy(() -> load(Sources.of(Map.of()).withFile(Path.of("missing.yml"))))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("missing.yml");
    }

    @Test
    void a_file_that_is_not_utf_8_is_named() throws Exception {
        var file = Files.write(folder.resolve("c.yml"), new byte[] {'a', ':', ' ', (byte) 0xe9});
        assertThatThrownBy(() -> load(Sources.of(Map.of()).withFile(file)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("c.yml");
    }
}
