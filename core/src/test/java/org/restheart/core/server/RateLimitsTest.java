package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestClient;

/// Limits of requests by address and by account.
class RateLimitsTest {
    private static Gateway start(String limits) {
        return Gateway.start(GatewayConfig.parse("""
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {enabled: false}
                mongo: {enabled: false}
                graphql: {enabled: false}
                basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
                fileRealmAuthenticator: {enabled: true, users: [{userid: ada, password: pw, roles: [user]},
                  {userid: bob, password: pw, roles: [user]}, {userid: root, password: pw, roles: [ops]}]}
                fullAuthorizer: {enabled: true, authentication-required: true}
                bruteForceAttackGuard: {enabled: false, trust-x-forwarded-for: true}
                rateLimits: {enabled: true, %s}
                """.formatted(limits)));
    }

    private static HttpResponse<String> get(Gateway gateway, String path, String user, String address) {
        var client = TestClient.of(gateway.address()).with("X-Forwarded-For", address);
        return (user.isEmpty() ? client : client.as(user, "pw")).get(path);
    }

    private static long number(HttpResponse<String> response, String header) {
        return Long.parseLong(response.headers().firstValue(header).orElseThrow());
    }

    @Test
    void an_account_has_its_burst_and_others_have_theirs() {
        try (var gateway = start("account-requests-per-minute: 1, account-burst: 3, unlimited-roles: [ops]")) {
            for (int left = 2; left >= 0; left--) {
                var answer = get(gateway, "/metrics", "ada", "1.1.1." + left);
                assertStatus(200, answer);
                assertThat(number(answer, "RateLimit-Limit")).isEqualTo(3);
                assertThat(number(answer, "RateLimit-Remaining")).isEqualTo(left);
                assertThat(number(answer, "RateLimit-Reset")).isBetween(1L, 180L);
            }
            var refused = get(gateway, "/metrics", "ada", "1.1.1.9");
            assertStatus(429, refused);
            assertThat(refused.body()).contains("too many requests");
            assertThat(number(refused, "Retry-After")).isBetween(1L, 60L);
            assertThat(number(refused, "RateLimit-Remaining")).isZero();
            assertStatus(200, get(gateway, "/metrics", "bob", "1.1.1.1"));
            for (int i = 0; i < 5; i++) {
                assertStatus(200, get(gateway, "/metrics", "root", "1.1.1.1"));
            }
            assertThat(get(gateway, "/metrics", "root", "1.1.1.1").body())
                    .contains("gateway_rate_limited_total{by=\"account\"} 1.0");
        }
    }

    @Test
    void an_address_is_refused_before_credentials_are_checked_and_probes_are_not_counted() {
        try (var gateway = start("address-requests-per-minute: 1, address-burst: 2")) {
            assertStatus(401, get(gateway, "/metrics", "", "2.2.2.2"));
            assertStatus(401, get(gateway, "/metrics", "", "2.2.2.2"));
            assertStatus(429, get(gateway, "/metrics", "ada", "2.2.2.2"));
            assertStatus(200, get(gateway, "/metrics", "ada", "3.3.3.3"));
            for (int i = 0; i < 5; i++) {
                assertStatus(200, get(gateway, "/ping", "", "2.2.2.2"));
            }
        }
    }

    @Test
    void a_network_of_ipv6_is_refused_without_its_neighbors() {
        try (var gateway = start("address-requests-per-minute: 1, address-burst: 1")) {
            assertStatus(200, get(gateway, "/metrics", "ada", "2001:db8:1:2::1"));
            assertStatus(429, get(gateway, "/metrics", "ada", "2001:db8:1:2::2"));
            assertStatus(200, get(gateway, "/metrics", "ada", "2001:db8:1:3::1"));
        }
    }

    @Test
    void without_limits_there_are_no_headers() {
        try (var gateway = start("address-requests-per-minute: 0, account-requests-per-minute: 0")) {
            assertThat(get(gateway, "/metrics", "ada", "1.1.1.1").headers().firstValue("RateLimit-Limit"))
                    .isEmpty();
        }
    }
}
