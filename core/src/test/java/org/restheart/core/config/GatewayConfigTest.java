package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.Finding.Level;
import org.restheart.mongo.cursor.CursorPoolConfig;
import org.restheart.rest.resource.Mounts.Mount;

class GatewayConfigTest {
    private static List<String> advice(String yaml) {
        return Configuration.parse(yaml).read().findings().stream()
                .filter(finding -> finding.level() == Level.ADVICE)
                .map(Finding::toString)
                .toList();
    }

    @Test
    void an_empty_file_means_the_defaults() {
        var config = GatewayConfig.parse("");
        assertThat(config.http()).isEqualTo(new ListenerConfig("http-listener", true, "localhost", 8080, false));
        assertThat(config.mclient().connectionString()).isEqualTo("mongodb://127.0.0.1");
        assertThat(config.ping().endpoint()).isEqualTo(new Endpoint(true, "/ping", false));
        assertThat(config.metrics().endpoint()).isEqualTo(new Endpoint(true, "/metrics", true));
        assertThat(config.metrics().requests()).isFalse();
        assertThat(config.cacheInvalidator().secured()).isTrue();
        assertThat(config.connection().maxEntitySize()).contains(16L * 1024 * 1024);
        assertThat(config.mongo()).hasValueSatisfying(mongo -> {
            assertThat(mongo.mounts()).containsExactly(new Mount("/restheart", "/"));
            assertThat(mongo.metadataTtl()).isEqualTo(Duration.ofSeconds(1));
        });
    }

    @Test
    void there_are_no_more_connections_than_files_may_be_opened() {
        int wanted = Integer.MAX_VALUE; // more than any system allows
        var parsed =
                Configuration.parse("core: {max-connections: " + wanted + "}").read();
        assertThat(parsed.findings())
                .filteredOn(finding -> finding.level() == Level.SUSPECT)
                .extracting(Finding::toString)
                .singleElement()
                .asString()
                .contains("/core/max-connections is 2147483647, but the process may open files for", "(ulimit -n)");
        assertThat(parsed.orThrow().core().maxConnections()).isLessThan(wanted);
        assertThat(GatewayConfig.parse("core: {max-connections: 1}").core().maxConnections())
                .isEqualTo(1);
    }

    @Test
    void keys_of_earlier_files_say_that_they_have_no_effect_unless_they_have_the_usual_value() {
        var yaml = "mongo: {coalescing: {max-queues: %d, queue-idle: %d}, cursor-pool: {builds: %d}}";
        assertThat(Configuration.parse(yaml.formatted(10_000, 60_000, 2)).read().findings())
                .noneMatch(finding -> finding.path().startsWith("/mongo/"));
        assertThat(Configuration.parse(yaml.formatted(5, 6, 7)).read().findings())
                .filteredOn(finding -> finding.path().startsWith("/mongo/"))
                .hasSize(3)
                .allMatch(finding -> finding.level() == Level.ADVICE);
    }

    @Test
    void a_file_that_names_no_mechanism_has_passwords() {
        var config = GatewayConfig.parse("http-listener: {port: 1}");
        assertThat(config.security().basicRealm()).contains(SecurityConfig.RealmName.MONGO);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "proxies: [{location: /p, proxy-pass: 'http://u:hunter2@x'}] | /proxies[1]/proxy-pass must be"
                        + " http://host[:port][/path], or https, but was http://u:**********@x",
                "http-listener: {port: 70000} | /http-listener/port must be a whole number from 0 to 65535 but was"
                        + " 70000",
                "http-listener: {enabled: false} | /http-listener and https-listener are disabled: one must be enabled",
                "http-listener: 8080 | /http-listener must be a block of keys but was 8080",
                "https-listener: {enabled: true, keystore-path: /k} | /https-listener/enabled is true, which needs"
                        + " certificate-file and private-key-file, or keystore-path, keystore-password and"
                        + " certificate-password",
                "https-listener: {certificate-file: /c} | /https-listener/certificate-file needs"
                        + " private-key-file as well",
                "https-listener: {certificate-file: /c, private-key-file: /k, keystore-path: /s} |"
                        + " /https-listener/certificate-file and keystore-path are set: which of them has the"
                        + " certificate?",
                "https-listener: {enabled: true, keystore-path: /not/there, keystore-password: p,"
                        + " certificate-password: p} | /https-listener/keystore-path names no file that can be read:"
                        + " /not/there",
                "basicAuthMechanism: {enabled: false} | /basicAuthMechanism/enabled is not true, and no other"
                        + " mechanism is enabled: nobody could use the services that are secured",
                "http-listener: {host: 'localhost:8080'} | /http-listener/host has a port, which is a key of its own:"
                        + " localhost:8080",
                "mclient: {connection-string: 'localhost:27017'} | /mclient/connection-string must start with"
                        + " mongodb:// or mongodb+srv://",
                "mclient: {connection-string: 'mongodb://h:99999'} | /mclient/connection-string is not a valid"
                        + " connection string: The connection string contains an invalid host and port. The port must be"
                        + " an integer between 0 and 65535.",
                "mclient: {connection-string: 'mongodb://u:p@ss@h'} | /mclient/connection-string is not a valid"
                        + " connection string: are all special characters in user and password percent-encoded?",
                "core: {workers-scheduler-parallelism: 300} | /core/workers-scheduler-max-pool-size must be at least"
                        + " workers-scheduler-parallelism, which is 300, but was 256",
                "logging: {requests-log-mode: 3} | /logging/requests-log-mode must be a whole number from 0 to 2 but"
                        + " was 3",
                "logging: {log-level: LOUD} | /logging/log-level must be one of OFF, ERROR, WARN, INFO, DEBUG, TRACE,"
                        + " ALL but was \"LOUD\"",
                "metrics: {missing-registry-status-code: 302} | /metrics/missing-registry-status-code must be 404 or"
                        + " 200 but was 302",
                "mongo: {default-pagesize: 2000} | /mongo/default-pagesize must be at most max-pagesize, which is"
                        + " 1000, but was 2000",
                "mongo: {mongo-mounts: [{what: /a}]} | /mongo/mongo-mounts[1]/where is required and must start with /",
                "mongo: {mongo-mounts: [{what: /a, wher: /}]} | /mongo/mongo-mounts[1]/where is required and must"
                        + " start with / (is wher meant for it?)",
                "mongo: {mongo-mounts: [{what: '*', where: /x}, {what: '/a/{b}', where: '/{b}'}]} | /mongo/mongo-mounts"
                        + " must have {variables} in where either in all mounts or in none",
                "mongo: {mongo-mounts: [{what: '/a/{c}', where: '/{b}'}]} | /mongo/mongo-mounts must not use variables"
                        + " in what that where lacks, but /a/{c} has {c}, and /{b} does not",
                "mongo: {mongo-mounts: [{what: '/{host[0]}', where: /}]} | /mongo/mongo-mounts must not use"
                        + " variables in what where where has none, but /{host[0]} does; /{*} is the rest of a path",
                "jwtTokenManager: {enabled: true, account-properties-claims: [team, scope]} |"
                        + " /jwtTokenManager/account-properties-claims must not name scope, which says what the token is,"
                        + " not what its account has",
                "jwtTokenManager: {enabled: true, account-properties-claims: [//]} |"
                        + " /jwtTokenManager/account-properties-claims must name properties, or paths such as /org/unit,"
                        + " but has '//'",
                "jwtTokenManager: {enabled: true, account-properties-claims: [/nbf/x, /org/unit]} |"
                        + " /jwtTokenManager/account-properties-claims must not name /nbf/x, which says what the token is,"
                        + " not what its account has",
                "mongo: {coalescing: {max-batch-bytes: 8388609}} | /mongo/coalescing/max-batch-bytes must be a whole"
                        + " number from 1 to 8388608 but was 8388609",
                "ping: {uri: ping} | /ping/uri must start with / but was \"ping\"",
                "database-probe: {timeout-ms: 0} | /database-probe/timeout-ms must be a whole number from 1 to 600000"
                        + " but was 0",
                "proxies: [{location: /a}] | /proxies[1]/proxy-pass must be a URL or a list of URLs",
                "mongoRealmAuthenticator: {json-path-roles: roles} | /mongoRealmAuthenticator/json-path-roles must be"
                        + " a JSON path, which starts with $",
                "mongoRealmAuthenticator: {json-path-roles: \"$['a.b']\"} | /mongoRealmAuthenticator/json-path-roles"
                        + " must not contain names with dots, or that begin with $, which MongoDB's filters do not know:"
                        + " $['a.b']",
                "mongoRealmAuthenticator: {json-path-roles: \"$.a['$b']\"} | /mongoRealmAuthenticator/json-path-roles"
                        + " must not contain names with dots, or that begin with $, which MongoDB's filters do not know:"
                        + " $.a['$b']",
                "connection-options: {MAX_ENTITY_SIZE: -2} | /connection-options/MAX_ENTITY_SIZE must be a whole"
                        + " number from -1 but was -2",
            })
    void a_bad_value_is_refused_with_key_bound_and_value(String yaml, String message) {
        assertThatThrownBy(() -> GatewayConfig.parse(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessage(message);
    }

    @Test
    void without_retryable_writes_updates_go_alone() {
        assertThat(coalescesUpdates("mongodb://127.0.0.1")).isTrue();
        assertThat(coalescesUpdates("mongodb://127.0.0.1/?retryWrites=true")).isTrue();
        assertThat(coalescesUpdates("mongodb://127.0.0.1/?w=1&retrywrites=false"))
                .isFalse();
    }

    private static boolean coalescesUpdates(String connectionString) {
        return GatewayConfig.parse("mclient: {connection-string: '" + connectionString + "'}")
                .mongo()
                .orElseThrow()
                .coalescing()
                .updates();
    }

    @Test
    void everything_that_is_wrong_is_said_at_once() {
        assertThatThrownBy(() -> GatewayConfig.parse("{http-listener: {port: -1}, ping: {enabled: 7}}"))
                .hasMessageContaining("/http-listener/port")
                .hasMessageContaining("/ping/enabled");
    }

    @Test
    void secure_is_read_as_secured_with_a_warning() {
        assertThat(GatewayConfig.parse("ping: {secure: true}").ping().endpoint().secured())
                .isTrue();
        assertThat(advice("ping: {secure: true}")).anyMatch(text -> text.startsWith("/ping/secure is read as"));
        assertThat(GatewayConfig.parse("ping: {secure: true, secured: false}")
                        .ping()
                        .endpoint()
                        .secured())
                .isFalse();
    }

    @Test
    void sizes_beyond_31_bits_are_accepted() {
        var options = GatewayConfig.parse(
                        "connection-options: {MAX_ENTITY_SIZE: 5000000000, MAX_HEADER_SIZE: 5000000000,"
                                + " MULTIPART_MAX_ENTITY_SIZE: 6000000000}")
                .connection();
        assertThat(options.maxEntitySize()).contains(5_000_000_000L);
        assertThat(options.maxHeaderSize()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void minus_one_is_no_limit() {
        var options = GatewayConfig.parse("connection-options: {MAX_ENTITY_SIZE: -1, IDLE_TIMEOUT: -1}")
                .connection();
        assertThat(options.maxEntitySize()).isEmpty();
        assertThat(options.idleTimeout()).isEmpty();
    }

    @Test
    void further_options_are_accepted_and_said_to_have_no_effect() {
        var yaml = "connection-options: {DECODE_URL: false, MAX_BUFFERED_REQUEST_SIZE: 5000000000}";
        assertThat(Configuration.parse(yaml).read().findings())
                .filteredOn(finding -> finding.path().startsWith("/connection-options"))
                .allMatch(finding -> finding.level() == Level.ADVICE)
                .extracting(Finding::toString)
                .containsExactly(
                        "/connection-options/DECODE_URL has no effect: URLs are decoded once, after they have been"
                                + " checked",
                        "/connection-options/MAX_BUFFERED_REQUEST_SIZE has no effect: see core/max-buffered-content");
    }

    @Test
    void the_former_name_of_the_connection_string_is_understood() {
        var yaml = "mongo: {mongo-uri: 'mongodb://old'}";
        assertThat(GatewayConfig.parse(yaml).mclient().connectionString()).isEqualTo("mongodb://old");
        assertThat(advice(yaml)).anyMatch(text -> text.startsWith("/mongo/mongo-uri is read for"));
        assertThat(GatewayConfig.parse(yaml + "\nmclient: {connection-string: 'mongodb://new'}")
                        .mclient()
                        .connectionString())
                .isEqualTo("mongodb://new");
    }

    @Test
    void a_switched_off_cache_keeps_nothing_and_a_negative_time_keeps_for_ever() {
        assertThat(GatewayConfig.parse("mongo: {local-cache-enabled: false}").mongo())
                .hasValueSatisfying(m -> assertThat(m.metadataTtl()).isZero());
        assertThat(GatewayConfig.parse("mongo: {local-cache-ttl: -1}").mongo())
                .hasValueSatisfying(m -> assertThat(m.metadataTtl()).isGreaterThan(Duration.ofDays(365)));
    }

    @Test
    void former_keys_are_accepted_with_a_warning() {
        assertThat(advice("{core: {worker-threads: 8, requests-limit: 100}}"))
                .anyMatch(text -> text.startsWith("/core/worker-threads has no effect"))
                .anyMatch(text -> text.startsWith("/core/requests-limit has no effect"));
    }

    private static CursorPoolConfig.Allocation allocation(String yaml) {
        return GatewayConfig.parse(yaml).mongo().orElseThrow().cursorPool().allocation();
    }

    @Test
    void the_allocation_of_cursors_has_its_documented_keys_and_defaults() {
        assertThat(allocation("""
            eager-cursor-allocation-pool-size: 7
            eager-cursor-allocation-linear-slice-width: 200
            eager-cursor-allocation-linear-slice-delta: 30
            eager-cursor-allocation-linear-slice-heights: [50]
            eager-cursor-allocation-random-max-cursors: 9
            eager-cursor-allocation-random-slice-min-width: 400
            cursor-batch-size: 10
            """)).isEqualTo(new CursorPoolConfig.Allocation(7, 200, 30, List.of(50), 9, 400, 10));
        assertThat(allocation("{}"))
                .isEqualTo(new CursorPoolConfig.Allocation(100, 1_000, 100, List.of(4, 2, 1), 50, 1_000, 1_000));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "eager-cursor-allocation-pool-size: -1",
                "eager-cursor-allocation-linear-slice-delta: 1000",
                "eager-cursor-allocation-linear-slice-heights: [1, -1]",
                "eager-cursor-allocation-linear-slice-heights: high",
                "eager-cursor-allocation-random-max-cursors: many",
                "cursor-batch-size: 0"
            })
    void a_bad_allocation_of_cursors_is_refused_by_name(String yaml) {
        assertThatThrownBy(() -> GatewayConfig.parse(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("/" + yaml.substring(0, yaml.indexOf(':')));
    }

    @Test
    void enabled_components_that_this_release_does_not_have_are_reported() {
        assertThat(advice("{oauthConfig: {enabled: true}, emails: {enabled: false}}"))
                .contains("/oauthConfig is enabled, but this release does not have it")
                .noneMatch(text -> text.startsWith("/emails"));
        assertThat(advice("{registerService: {enabled: true}, inviteService: {enabled: false}, arguments: {a: 1}}"))
                .contains("/registerService is enabled, but has no effect without a plugin of this name: this release"
                        + " has no such component")
                .noneMatch(text -> text.startsWith("/inviteService") || text.startsWith("/arguments"));
    }

    @Test
    void keys_without_effect_are_reported_when_they_are_set() {
        assertThat(advice("{core: {buffers-pooling: false, name: x}, connection-options: {MAX_AJP_PACKET_SIZE: 8192}}"))
                .contains("/core/buffers-pooling has no effect: buffers are always reused")
                .contains("/connection-options/MAX_AJP_PACKET_SIZE has no effect: this release has no AJP");
        assertThat(advice("{core: {buffers-pooling: true, plugins-directory: plugins}}"))
                .noneMatch(text -> text.contains("no effect"));
    }

    @Test
    void components_that_cannot_be_switched_off_are_reported() {
        assertThat(advice("{userPwdHasher: {enabled: false}, halRepresentation: {enabled: true}}"))
                .contains("/userPwdHasher/enabled has no effect: this is always done here")
                .noneMatch(text -> text.startsWith("/halRepresentation"));
    }

    @Test
    void protection_that_is_switched_off_is_reported() {
        assertThat(advice("{filterOperatorsBlacklist: {enabled: false}, aggregationSecurity: {enabled: false}}"))
                .anyMatch(text -> text.startsWith("/filterOperatorsBlacklist/enabled is false"))
                .anyMatch(text -> text.startsWith("/aggregationSecurity/enabled is false"));
        assertThat(advice("{filterOperatorsBlacklist: {enabled: true}}"))
                .noneMatch(text -> text.contains("is not protected"));
    }

    @Test
    void a_random_key_of_tokens_is_reported_where_others_reach_the_server() {
        var tokens = "{http-listener: {host: %s}, jwtTokenManager: {enabled: true}, jwtConfigProvider: {key: %s}}";
        assertThat(advice(tokens.formatted("0.0.0.0", "null")))
                .anyMatch(text -> text.contains("end with this process"));
        assertThat(advice(tokens.formatted("0.0.0.0", "'a secret of more than thirty-two bytes'")))
                .noneMatch(text -> text.contains("end with this process"));
        assertThat(advice(tokens.formatted("127.0.0.1", "null")))
                .noneMatch(text -> text.contains("end with this process"));
    }

    @Test
    void a_listener_that_this_release_does_not_have_is_not_enough() {
        assertThatThrownBy(
                        () -> GatewayConfig.parse("{http-listener: {enabled: false}, ajp-listener: {enabled: true}}"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("/http-listener");
    }

    @Test
    void an_audience_that_names_the_endpoint_for_assistants_beside_others_is_reported() {
        var yaml = "{mcp: {enabled: true}, jwtConfigProvider: {audience: [%s]}}";
        assertThat(advice(yaml.formatted("api, 'https://data.example/_mcp'")))
                .anyMatch(text -> text.startsWith("/jwtConfigProvider/audience names /_mcp beside others"));
        assertThat(advice(yaml.formatted("'https://data.example/_mcp'")))
                .noneMatch(text -> text.startsWith("/jwtConfigProvider/audience"));
    }

    @Test
    void a_listener_on_all_addresses_is_reported() {
        assertThat(advice("http-listener: {host: 0.0.0.0}")).anyMatch(text -> text.contains("in clear text"));
        assertThat(advice("http-listener: {host: 127.0.0.1}")).noneMatch(text -> text.contains("in clear text"));
    }

    @Test
    void the_default_password_is_reported() {
        var yaml = "fileRealmAuthenticator: {enabled: true, users: [{userid: admin, password: %s, roles: [admin]}]}";
        assertThat(advice(yaml.formatted("secret"))).anyMatch(text -> text.contains("default password"));
        assertThat(advice(yaml.formatted("other"))).noneMatch(text -> text.contains("default password"));
    }

    @Test
    void a_record_with_secrets_does_not_print_them() {
        var config = GatewayConfig.parse(
                "{mclient: {connection-string: 'mongodb://u:hunter2@h'}, https-listener: {keystore-path: /k,"
                        + " keystore-password: hunter2, certificate-password: hunter2}}");
        assertThat(config.toString()).doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "/opt/restheart/restheart.jar, plugins, /opt/restheart/plugins",
        "/opt/restheart/lib/restheart.jar, plugins, /opt/restheart/plugins",
        "/opt/restheart/lib/restheart.jar, /srv/plugins, /srv/plugins"
    })
    void the_folder_of_plugins_is_beside_the_jar(Path jar, String name, Path folder) {
        assertThat(PluginsConfig.beside(jar, name)).isEqualTo(folder);
    }
}
