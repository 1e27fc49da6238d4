package org.restheart.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.restheart.core.config.Finding.Level;

class BuiltInConfigurationTest {
    private static Configuration builtIn() {
        return Configuration.load(Sources.of(Map.of()));
    }

    @Test
    void nothing_is_wrong_with_it() {
        assertThat(builtIn().read().findings())
                .filteredOn(finding -> finding.level() == Level.REFUSED || finding.level() == Level.SUSPECT)
                .isEmpty();
    }

    @Test
    void its_listener_is_reached_from_this_machine_only() {
        var http = builtIn().read().orThrow().http();
        assertThat(http).isEqualTo(new ListenerConfig("http-listener", true, "localhost", 8080, false));
    }

    @Test
    void it_serves_the_page_of_metrics() {
        assertThat(builtIn().read().orThrow().staticResources())
                .extracting(StaticResourceConfig::where)
                .containsExactly("/metrics-ui");
    }

    @Test
    void it_limits_request_content_to_16_MiB() {
        var connection = builtIn().read().orThrow().connection();
        assertThat(connection.maxEntitySize()).contains(16L * 1024 * 1024);
    }

    /// There are two sources of defaults, the file and the code for a file that leaves keys out.
    @Test
    void its_limits_of_connections_are_those_of_a_file_without_any() {
        assertThat(builtIn().read().orThrow().connection())
                .isEqualTo(GatewayConfig.parse("").connection());
    }

    @Test
    void the_standalone_variant_needs_no_mongodb() {
        var config = Configuration.load(
                        new Sources(true, Optional.empty(), Optional.empty(), Optional.empty(), Map.of(), Map.of()))
                .read()
                .orThrow();
        assertThat(config.core().name()).isEqualTo("default-no-mongodb");
        assertThat(config.mclient().enabled()).isFalse();
        assertThat(config.mongo()).isEmpty();
        assertThat(config.databaseProbe().endpoint().enabled()).isFalse();
    }
}
