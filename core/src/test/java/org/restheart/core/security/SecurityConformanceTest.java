package org.restheart.core.security;

import java.util.List;
import java.util.Optional;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;
import org.restheart.testkit.conformance.RunningGateway;

/// Cases of authentication and authorization. Accounts and permissions are in a database of their own, which cases
/// reach as `/rules`; every user's password is `secret`, and the roles of `r1+r2` are `r1` and `r2`.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SecurityConformanceTest {
    private final TestMongo mongo;
    private final Running stored;
    private final Running inFile;

    private record Running(Gateway gateway) implements RunningGateway {
        @Override
        public int port() {
            return gateway.address().getPort();
        }

        @Override
        public Optional<String> password(String user) {
            return Optional.of("secret");
        }
    }

    SecurityConformanceTest(TestMongo mongo) {
        this.mongo = mongo;
        var rules = mongo.newDatabaseName();
        addUsers(rules);
        this.stored = start(rules, """
            mongoAclAuthorizer: {enabled: true, acl-db: $db, acl-collection: acl, root-role: admin}
            """);
        this.inFile = start(rules, """
            mongoAclAuthorizer: {enabled: false}
            fileAclAuthorizer:
              enabled: true
              permissions:
                - role: r1
                  priority: 1
                  predicate: path-template('/{db}/c') and method(GET)
                  mongo: {readFilter: {status: public}}
                - role: r1
                  priority: 2
                  predicate: path-template('/{db}/c') and method(GET)
                  mongo: {readFilter: {status: private}}
            """);
    }

    private void addUsers(String database) {
        var users = mongo.client().getDatabase(database).getCollection("users");
        for (var name : List.of("admin", "ada", "bob", "r1", "r1+r2", "r2+r1", "nobody")) {
            users.insertOne(new Document("_id", name)
                    .append("password", TestGateway.hash("secret"))
                    .append("roles", name.equals("nobody") ? List.of() : List.of(name.split("\\+")))
                    .append("tenants", name.equals("ada") ? List.of("x") : null));
        }
    }

    private Running start(String database, String more) {
        return new Running(Gateway.start(GatewayConfig.parse(
                """
                core: {error-bodies: MINIMAL}
                bruteForceAttackGuard: {enabled: false}
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: "$uri"}
                mongo: {mongo-mounts: [{what: '*', where: /}, {what: /$db, where: /rules}]}
                basicAuthMechanism: {enabled: true}
                tokenBasicAuthMechanism: {enabled: true}
                jwtAuthenticationMechanism: {enabled: true}
                jwtTokenManager: {enabled: true}
                mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4}
                $more
                """.replace("$more", more).replace("$db", database).replace("$uri", mongo.connectionString()))));
    }

    @AfterAll
    void stop() {
        stored.gateway().close();
        inFile.gateway().close();
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile({
        "security-permissions.yml",
        "security-authentication.yml",
        "security-paths.yml",
        "security-predicates.yml"
    })
    void decides_as_specified(ConformanceCase c) {
        c.run(stored, mongo);
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile("security-file-permissions.yml")
    void decides_as_specified_by_permissions_in_a_file(ConformanceCase c) {
        c.run(inFile, mongo);
    }
}
