package org.restheart.core.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.Opened;
import org.restheart.testkit.TestClient;

/// One address does not take all connections.
class ConnectionLimitTest {
    private static final byte[] PING = "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII);

    @AutoClose
    private final Opened<Socket> open = new Opened<>();

    private static Gateway start(String core, String more) {
        return Gateway.start(GatewayConfig.parse("""
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {enabled: false}
            mongo: {enabled: false}
            mongoRealmAuthenticator: {enabled: false}
            mongoAclAuthorizer: {enabled: false}
            basicAuthMechanism: {enabled: false}
            fullAuthorizer: {enabled: true, authentication-required: false}
            core: {%s}
            %s
            """.formatted(core, more)));
    }

    /// Whether a connection from an address of this machine is served.
    private boolean isServed(Gateway gateway, String from) throws IOException {
        var socket = open.add(new Socket());
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(gateway.address());
        return answers(socket);
    }

    private static boolean answers(Socket socket) {
        try {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(PING);
            return socket.getInputStream().read() == 'H';
        } catch (IOException _) {
            return false;
        }
    }

    private int served(Gateway gateway, String from, int tries) throws IOException {
        int served = 0;
        for (int i = 0; i < tries; i++) {
            served += isServed(gateway, from) ? 1 : 0;
        }
        return served;
    }

    @Test
    void an_address_leaves_room_for_others() throws Exception {
        try (var gateway = start("max-connections: 12", "")) {
            assertThat(served(gateway, "127.0.0.1", 14)).isEqualTo(9);
            assertThat(isServed(gateway, "127.0.0.2")).isTrue();
            assertThat(isServed(gateway, "127.0.0.3")).isTrue();
            for (var socket : open.all().subList(0, 4)) {
                socket.close();
            }
            await().until(() -> isServed(gateway, "127.0.0.1"));
        }
    }

    @Test
    void the_next_address_has_its_part_of_what_is_left() throws Exception {
        try (var gateway = start("max-connections: 400", "")) {
            assertThat(served(gateway, "127.0.0.1", 402)).isBetween(380, 391);
            assertThat(served(gateway, "127.0.0.2", 10)).isGreaterThanOrEqualTo(3);
            assertThat(isServed(gateway, "127.0.0.3")).isTrue();
        }
    }

    @Test
    void some_addresses_leave_room_for_others() throws Exception {
        try (var gateway = start("max-connections: 1280", "")) {
            for (int i = 1; i <= 15; i++) {
                served(gateway, "127.0.0." + i, i == 1 ? 1_280 : 40);
            }
            assertThat(isServed(gateway, "127.0.0.99")).isTrue();
        }
    }

    @Test
    void an_address_takes_what_is_configured_and_metrics_tell() throws Exception {
        try (var gateway = start("max-connections-per-address: 3", "")) {
            assertThat(served(gateway, "127.0.0.2", 5)).isEqualTo(3);
            assertThat(served(gateway, "127.0.0.3", 2)).isEqualTo(2);
            System.gc(); // meters refer weakly to what they measure
            assertThat(TestClient.of(gateway.address())
                            .with("Accept", "text/plain")
                            .get("/metrics/gateway")
                            .body())
                    .contains("gateway_connections_refused_total 2.0")
                    .contains("gateway_connections 6.0");
        }
    }

    @Test
    void a_proxy_takes_all() throws Exception {
        try (var gateway = start("max-connections: 6", "bruteForceAttackGuard: {trust-x-forwarded-for: true}")) {
            assertThat(served(gateway, "127.0.0.1", 8)).isEqualTo(6);
        }
    }
}
