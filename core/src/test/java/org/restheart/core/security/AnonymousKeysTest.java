package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.server.RawClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.wire.WireResponse;

/// An `Idempotency-Key` without an account is refused where there are accounts, and belongs to an address
/// elsewhere.
@WithMongo
class AnonymousKeysTest {
    private final TestMongo mongo;
    private final String database;

    AnonymousKeysTest(TestMongo mongo) {
        this.mongo = mongo;
        this.database = mongo.newDatabaseName();
    }

    private WireResponse post(Gateway gateway, String... headers) throws Exception {
        var body = "{\"vote\": \"yes\"}";
        try (var client = new RawClient(gateway.address())) {
            client.request(
                            "POST /t",
                            concat(headers, "Content-Type: application/json", "Content-Length: " + body.length()))
                    .send(body);
            return client.answer();
        }
    }

    private static String[] concat(String[] some, String... more) {
        var all = Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }

    private Gateway start(String security) {
        mongo.client().getDatabase(database).createCollection("t");
        return Gateway.start(GatewayConfig.parse(
                """
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: "%s"}
                mongo: {mongo-mounts: [{what: /%s, where: /}]}
                """.formatted(mongo.connectionString(), database) + security.replace("$db", database)));
    }

    private long stored() {
        return mongo.client().getDatabase(database).getCollection("t").countDocuments();
    }

    @Test
    void it_is_refused_where_there_are_accounts() throws Exception {
        mongo.client()
                .getDatabase(database)
                .getCollection("acl", BsonDocument.class)
                .insertOne(BsonDocument.parse(
                        "{roles: ['$unauthenticated'], predicate: \"path-prefix('/')\", priority: 1}"));
        try (var gateway = start("""
                mongoAclAuthorizer: {enabled: true, acl-db: $db, acl-collection: acl}
                mongoRealmAuthenticator: {enabled: true, users-db: $db, users-collection: users, bcrypt-complexity: 4}
                basicAuthMechanism: {enabled: true, authenticator: mongoRealmAuthenticator}
                """)) {
            var refused = post(gateway, "Idempotency-Key: 1");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.text()).contains("account");
            assertThat(stored()).isZero();
            assertThat(post(gateway).status()).isEqualTo(201);
        }
    }

    private static final String NO_ACCOUNTS = """
            basicAuthMechanism: {enabled: false}
            tokenBasicAuthMechanism: {enabled: false}
            jwtAuthenticationMechanism: {enabled: false}
            jwtTokenManager: {enabled: false}
            mongoRealmAuthenticator: {enabled: false}
            """;

    private static final String ALL_ALLOWED = """
            mongoAclAuthorizer: {enabled: false}
            fullAuthorizer: {enabled: true, authentication-required: false}
            """;

    @Test
    void it_belongs_to_an_address() throws Exception {
        try (var gateway =
                start(NO_ACCOUNTS + ALL_ALLOWED + "bruteForceAttackGuard: {trust-x-forwarded-for: true}\n")) {
            for (int i = 0; i < 2; i++) {
                for (var address : List.of("192.0.2.1", "192.0.2.2")) {
                    assertThat(post(gateway, "Idempotency-Key: 1", "X-Forwarded-For: " + address)
                                    .status())
                            .isEqualTo(201);
                }
            }
            assertThat(stored()).isEqualTo(2);
        }
    }

    @Test
    void it_is_accepted_where_no_authentication_is_configured() throws Exception {
        try (var gateway = start(NO_ACCOUNTS + ALL_ALLOWED)) {
            assertThat(post(gateway, "Idempotency-Key: 1").status()).isEqualTo(201);
            assertThat(post(gateway, "Idempotency-Key: 1").status()).isEqualTo(201);
            assertThat(stored()).isEqualTo(1);
        }
    }
}
