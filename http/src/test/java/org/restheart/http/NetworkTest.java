package org.restheart.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.1.2, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "192.0.2.128/25, 192.0.2.200, true",
        "192.0.2.128/25, 192.0.2.127, false",
        "192.0.2.7, 192.0.2.7, true",
        "192.0.2.7, 192.0.2.6, false",
        "0.0.0.0/0, 8.8.8.8, true",
        "0.0.0.0/0, ::1, false",
        "2001:db8::/32, 2001:db8:1::5, true",
        "2001:db8::/32, 2001:db9::, false",
        "::1, ::1, true",
    })
    void a_network_has_the_addresses_that_begin_like_it(String network, String address, boolean contains) {
        assertThat(Network.parse(network).contains(InetAddress.ofLiteral(address)))
                .isEqualTo(contains);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "*"})
    void nothing_else_is_a_network(String text) {
        assertThatThrownBy(() -> Network.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
