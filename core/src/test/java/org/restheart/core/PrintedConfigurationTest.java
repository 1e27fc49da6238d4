package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `--print-config` and the template.
class PrintedConfigurationTest extends LaunchFixture {
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
                .isEqualToIgnoringNewLines("WARN  RHO: /core/name occurs twice, the last one counts"
                        + "ERROR /jwtConfigProvider/key has fewer than 32 bytes, which can be guessed; openssl rand"
                        + " -base64 32 makes one that cannot");
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
    void a_bad_override_is_named_and_leaves_the_value() {
        assertThat(exitCode("core/name->'x';/core/name->x y;/a/b[2]->1", "-c")).isZero();
        assertThat(err())
                .contains("ERROR RHO: invalid override, path must be absolute", "value is not valid json")
                .contains("ERROR /a is not known");
        assertThat(out()).contains("name: default", "a:\n  b:\n    - null\n    - 1\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-t", "--printConfigurationTemplate"})
    void the_built_in_configuration_is_printed_with_its_comments(String option) throws IOException {
        assertThat(exitCode("/core/name->'x'", option)).isZero();
        assertThat(out()).isEqualTo(Files.readString(Path.of("../etc/restheart.yml")));
    }

    @Test
    void printing_the_configuration_names_what_overrides_misspell() {
        assertThat(exitCode("/http-listner/port->9090;/core/nmae->'x'", "-c")).isZero();
        assertThat(err())
                .contains("/core/nmae is not known; did you mean name?")
                .contains("ERROR /http-listner is not known; did you mean http-listener?");
    }
}
