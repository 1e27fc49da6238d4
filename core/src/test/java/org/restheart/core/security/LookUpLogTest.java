package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.server.RawClient;
import org.restheart.core.streams.Relay;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What the log says while accounts cannot be looked up.
@WithMongo
class LookUpLogTest {
    private static final String AUTHORIZATION = "Authorization: Basic YWRtaW46c2VjcmV0"; // admin:secret

    @Test
    void a_failure_and_its_end_are_logged_once(TestMongo mongo) throws Exception {
        var database = mongo.newDatabaseName();
        try (var log = new LogLines();
                var relay = Relay.to(mongo);
                var gateway = Gateway.start(GatewayConfig.parse(
                        """
                        http-listener: {host: 127.0.0.1, port: 0}
                        mclient: {connection-string: "mongodb://127.0.0.1:$port/?directConnection=true&serverSelectionTimeoutMS=200"}
                        mongoRealmAuthenticator: {enabled: true, users-db: $db, users-collection: users, bcrypt-complexity: 4}
                        mongoAclAuthorizer: {enabled: true, acl-db: $db, acl-collection: acl}
                        basicAuthMechanism: {enabled: true, authenticator: mongoRealmAuthenticator}
                        """.replace("$port", "" + relay.port()).replace("$db", database)));
                var client = new RawClient(gateway.address())) {
            for (int i = 0; i < 10; i++) {
                assertThat(client.request("GET /", AUTHORIZATION).answer().status())
                        .isEqualTo(503);
            }
            assertThat(count(log, "cannot be looked up")).isEqualTo(1);
            relay.start();
            await().until(() -> client.request("GET /", AUTHORIZATION).answer().status() != 503);
            assertThat(count(log, "can be looked up again")).isEqualTo(1);
            assertThat(count(log, "cannot be looked up")).isEqualTo(1);
        }
    }

    private static long count(LogLines log, String text) {
        return log.all().stream()
                .filter(line -> line.contains(text) && !line.startsWith("DEBUG"))
                .count();
    }
}
