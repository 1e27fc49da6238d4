package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.Shell;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Compiles clients/typescript and runs its own tests with Node.js.
@WithMongo
class TypeScriptClientTest {
    @Test
    void its_tests_pass(TestMongo mongo) throws Exception {
        assumeTrue(
                Shell.run(Path.of("."), "command -v npm node || true").lines().count() == 2,
                "the client is compiled and tested with npm and Node.js, which are not on the PATH");
        var config = GatewayConfig.parse(
                """
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: "$uri"}
                mongo: {mongo-mounts: [{what: /$db, where: /}]}
                basicAuthMechanism: {enabled: true}
                mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4}
                mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
                jwtConfigProvider: {key: "a key of the test, long enough for HS256"}
                jwtAuthenticationMechanism: {enabled: true}
                jwtTokenManager: {enabled: true}
                authTokenService: {enabled: true, uri: /token}
                """.replace("$uri", mongo.connectionString()).replace("$db", mongo.databaseName()));
        try (var gateway = Gateway.start(config)) {
            var url = "http://127.0.0.1:" + gateway.address().getPort();
            assertThat(Shell.run(Path.of("../clients/typescript"), "./check " + url + " secret"))
                    .containsPattern("(tests|pass) 1[0-9]\\b")
                    .containsPattern("fail 0\\b");
        }
    }
}
