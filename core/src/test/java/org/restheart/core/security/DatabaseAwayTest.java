package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.embedded.FreePort;
import org.restheart.testkit.TestClient;

/// A gateway whose MongoDB is not there: it starts, and whoever asks is told so, whatever his password.
class DatabaseAwayTest {
    @AutoClose
    private static Gateway gateway;

    @BeforeAll
    static void start() {
        gateway = Gateway.start(TestGateway.config(
                "mongodb://127.0.0.1:" + FreePort.find() + "/?directConnection=true&serverSelectionTimeoutMS=500",
                "away",
                TestGateway.REALM));
    }

    private static TestClient anonymous() {
        return TestClient.of(gateway.address()).with("Accept", "application/problem+json");
    }

    @Test
    void no_password_is_refused_while_accounts_cannot_be_looked_up() {
        for (var password : new String[] {"admin-pw", "wrong"}) {
            var answer = anonymous().as("admin", password).get("/books");
            assertStatus(503, answer);
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
            assertThat(answer.body()).contains("\"code\": \"DATABASE_UNAVAILABLE\"", "MongoDB unreachable");
        }
    }

    @Test
    void probes_are_told() {
        assertStatus(503, anonymous().get("/health/db"));
        assertStatus(200, anonymous().get("/ping"));
    }
}
