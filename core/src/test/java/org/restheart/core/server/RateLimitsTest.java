package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;

/// Limits of requests by address and by account.
class RateLimitsTest {
    private final HttpClient client = HttpClient.newHttpClient();

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

    private HttpResponse<String> get(Gateway gateway, String path, String user, String address) throws Exception {
        var request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + gateway.address().getPort() + path))
                .header("X-Forwarded-For", address);
        if (!user.isEmpty()) {
            var credentials = Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
            request.header("Authorization", "Basic " + credentials);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static long number(HttpResponse<String> response, String header) {
        return Long.parseLong(response.headers().firstValue(header).orElseThrow());
    }

    @Test
    void an_account_has_its_burst_and_others_have_theirs() throws Exception {
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
    void an_address_is_refused_before_credentials_are_checked_and_probes_are_not_counted() throws Exception {
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
    void without_limits_there_are_no_headers() throws Exception {
        try (var gateway = start("address-requests-per-minute: 0, account-requests-per-minute: 0")) {
            assertThat(get(gateway, "/metrics", "ada", "1.1.1.1").headers().firstValue("RateLimit-Limit"))
                    .isEmpty();
        }
    }
}
