package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.plugins.PluginFolder;

/// `--check`.
class ConfigurationCheckTest extends LaunchFixture {
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
    void the_check_asks_plugins_about_their_settings_and_begins_nothing() throws IOException {
        var plugins = new PluginFolder(folder.resolve("plugins"));
        plugins.plugin("set", """
            public void check(Settings settings) { settings.integer("size", 1, 1, 9); }
            public void install(Installation to) { throw new IllegalStateException(); }
            """);
        plugins.plugin("silent", "public void install(Installation to) { throw new IllegalStateException(); }");
        var file = file("plugins.yml", """
            core: {plugins-directory: '%s'}
            mongoAclAuthorizer: {root-role: admin}
            set: {size: 10, sise: 1, uri: /set}
            silent: {any: 1}
            """.formatted(plugins.path()));
        assertThat(exitCode("", "--check", file.toString())).isEqualTo(255);
        assertThat(err())
                .contains(
                        "ERROR /set/size must be a whole number from 1 to 9",
                        "ERROR /set/sise is not known; did you mean size?",
                        "2 problems in the configuration");
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
    void an_override_that_is_malformed_or_unknown_fails_the_check(String rho) {
        assertThat(exitCode(rho, "--check")).isEqualTo(255);
        assertThat(err()).contains("1 problem in the configuration: built-in");
    }

    @Test
    void a_key_that_a_file_has_and_nobody_knows_is_a_warning_at_start_and_fails_the_check() throws IOException {
        var file = file(
                        "c.yml",
                        "mongo: {enabled: false, defualt-pagesize: 10}\nmclient: {enabled: false}\n"
                                + "http-listener: {port: 0}\nlogging: {log-to-console: false}\n")
                .toString();
        assertThat(exitCode("", "--check", file)).isEqualTo(255);
        assertThat(launch("", file)).isInstanceOf(Launch.Outcome.Running.class);
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
                .contains("permissions[1] mongo.readFilter has the text user._id for owner, which is taken literally; a"
                        + " property of the account is written @user._id")
                .contains("permissions[2] mongo.writeFilter", "the operator is written $gt")
                .contains("permissions[3] mongo.readFilter compares a field or; the operator is written $or")
                .contains("permissions[4] mongo.mergeRequest has the text {{user._id}} for owner");
    }

    @Test
    void an_account_of_a_file_without_any_permission_is_warned_of() throws IOException {
        var text = """
            mclient: {enabled: false}
            mongo: {enabled: false}
            graphql: {enabled: false}
            basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
            fileRealmAuthenticator:
              enabled: true
              users:
                - {userid: ada, password: pw, roles: [editr, printer]}
                - {userid: bob, password: pw, roles: [editor, printer]}
                - {userid: eve, password: pw, roles: []}
            fileAclAuthorizer:
              enabled: true
              permissions:
                - {role: editor, predicate: path('/a')}
            """;
        assertThat(exitCode("", "--check", file("conf.yml", text).toString())).isZero();
        assertThat(err())
                .contains("users[1]/roles is editr, printer, for which there is no permission", "did you mean editor?")
                .doesNotContain("users[2]", "users[3]");
        var stored = text.replace("mclient: {enabled: false}", "mongoAclAuthorizer: {root-role: editr}")
                .replace("mongo: {enabled: false}", "");
        assertThat(exitCode("", "--check", file("stored.yml", stored).toString()))
                .isZero();
        assertThat(err().split("for which there is no permission", -1)).hasSize(2);
    }

    @Test
    void roles_of_mechanisms_for_which_there_is_no_permission_are_named() throws IOException {
        var text = """
            mclient: {enabled: false}
            mongo: {enabled: false}
            graphql: {enabled: false}
            identityAuthMechanism: {enabled: true, username: ada, roles: [editr]}
            jwtAuthenticationMechanism: {enabled: true, fixedRoles: [editor]}
            fileAclAuthorizer:
              enabled: true
              permissions:
                - {role: editor, predicate: path('/a')}
            """;
        exitCode("", "--check", file("conf.yml", text).toString());
        assertThat(err())
                .contains("/identityAuthMechanism/roles is editr, for which there is no permission")
                .doesNotContain("fixedRoles");
    }

    @Test
    void misspelt_options_of_the_connection_string_are_named() {
        assertThat(exitCode(
                        "/mclient/connection-string->'mongodb://a:b%3F@h:1/?retryWrite=true&W=1&appName=x&pwd=y"
                                + "&j=true&wtimeout=1'",
                        "--check"))
                .isEqualTo(255);
        assertThat(err())
                .contains("/mclient/connection-string has the option retryWrite, which is not known and has no effect;"
                        + " did you mean retryWrites?")
                .contains("the option pwd, which")
                .contains("2 problems in the configuration");
    }

    @Test
    void an_override_that_enables_what_is_not_there_is_warned_of() {
        assertThat(exitCode("/emails/enabled -> true; /registerService/enabled -> true", "--check"))
                .isZero();
        assertThat(err())
                .contains("WARN  /emails is enabled, but this release does not have it")
                .contains("WARN  /registerService is enabled, but has no effect");
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
    void the_check_refuses_misspelt_blocks_and_passes_those_of_plugins_in_files() throws IOException {
        assertThat(exitCode("/mongoAclAuthoriser/enabled->true", "--check")).isEqualTo(255);
        assertThat(err())
                .contains("/mongoAclAuthoriser", "did you mean mongoAclAuthorizer?")
                .contains("1 problem in the configuration");
        var plugin = file("c.yml", "my-own-plugin: {enabled: false}\nmongoAclAuthorizer: {root-role: admin}\n");
        assertThat(exitCode("/my-own-plugin/enabled->true", "--check", plugin.toString()))
                .isZero();
        err.reset();
        assertThat(exitCode("/my-own-plugin/enabled->true", "--check")).isEqualTo(255);
        assertThat(err()).contains("ERROR /my-own-plugin is not known");
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
    void overrides_in_place_of_a_configuration_are_told_from_it() throws IOException {
        assertThat(exitCode(
                        "", "--check", file("mcp.yml", "/mcp/enabled: true\n").toString()))
                .isEqualTo(255);
        assertThat(err())
                .contains("/mcp/enabled is an override", "given with -o")
                .doesNotContain("//mcp");
    }
}
