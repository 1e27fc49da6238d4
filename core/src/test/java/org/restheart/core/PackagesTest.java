package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What packages hold. That the archive starts is tried by `./dev package --try`.
class PackagesTest extends LaunchFixture {
    private static final Path ROOT = Path.of("..").toAbsolutePath();

    @ParameterizedTest
    @CsvSource({
        "clients/typescript/package.json, '\"version\": \"(.*)\"'",
        "etc/helm/restheart/Chart.yaml, '\nversion: (.*)\n'",
        "etc/helm/restheart/Chart.yaml, '\nappVersion: (.*)\n'",
    })
    void everything_has_the_version_of_the_build(String file, String pattern) throws IOException {
        assertThat(found(file, pattern)).isEqualTo(found("pom.xml", "<revision>(.*)</revision>"));
    }

    @Test
    void the_overrides_of_the_Debian_package_are_good() {
        assertThat(exitCode(
                        "",
                        "--check",
                        "-o",
                        ROOT.resolve("etc/package/overrides.yml").toString()))
                .as(err())
                .isZero();
    }

    private static String found(String file, String pattern) throws IOException {
        var matcher = Pattern.compile(pattern).matcher(Files.readString(ROOT.resolve(file)));
        assertThat(matcher.find()).as(file).isTrue();
        return matcher.group(1);
    }
}
