package org.restheart.core.data;

import java.util.Optional;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.conformance.RunningGateway;

/// A gateway over the tests' replica set. Its users have the password `secret`: `admin` is allowed everything, the
/// others what their permission grants.
public final class ConformanceGateway implements RunningGateway, AutoCloseable {
    private final Gateway gateway;

    /// A listener on a free port, HTTP Basic, and the guards of the shipped configuration.
    public static final String GUARDS = """
        http-listener: {host: 127.0.0.1, port: 0}
        mongoRealmAuthenticator: {enabled: false}
        mongoAclAuthorizer: {enabled: false}
        basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
        filterOperatorsBlacklist: {enabled: true, blacklist: [$where]}
        aggregationSecurity:
          enabled: true
          stageBlacklist: [$out, $merge, $lookup, $graphLookup, $unionWith]
          operatorBlacklist: [$where, $function, $accumulator]
        """;

    /// Users, to which more can be appended.
    public static final String ACCOUNTS = """
        fileRealmAuthenticator:
          enabled: true
          users:
            - {userid: admin, password: secret, roles: [admin]}
            - {userid: ada, password: secret, roles: [owners], team: red}
            - {userid: bob, password: secret, roles: [public]}
        """;

    /// Permissions of `admin` and of owners of documents, to which more can be appended.
    public static final String PERMISSIONS = """
        fileAclAuthorizer:
          enabled: true
          permissions:
            - role: admin
              predicate: path-prefix('/')
              mongo:
                {allowManagementRequests: true, allowBulkPatch: true, allowBulkDelete: true, allowWriteMode: true}
            # sees what belongs to her
            - {role: owners, predicate: path-prefix('/'), mongo: {readFilter: {owner: '@user.userid'}}}
        """;

    private ConformanceGateway(Gateway gateway) {
        this.gateway = gateway;
    }

    static ConformanceGateway start(TestMongo mongo) {
        return start(mongo, "mongo: {mongo-mounts: [{what: '*', where: /}]}");
    }

    /// @param dataApi the `mongo` block
    static ConformanceGateway start(TestMongo mongo, String dataApi) {
        return start(mongo.connectionString(), dataApi);
    }

    /// The same, over another deployment.
    static ConformanceGateway start(String connectionString, String dataApi) {
        return start(connectionString, "core: {error-bodies: MINIMAL}", dataApi);
    }

    /// The same as a newcomer finds it: refusals say what to do.
    static ConformanceGateway helpful(TestMongo mongo, String dataApi) {
        return start(mongo.connectionString(), "core: {error-bodies: HELPFUL}", dataApi);
    }

    private static ConformanceGateway start(String connectionString, String core, String dataApi) {
        return of(GUARDS + "%s\nmclient: {connection-string: '%s'}\n%s\n".formatted(core, connectionString, dataApi)
                + ACCOUNTS + """
                    - {userid: eve, password: secret, roles: [titles]}
                    - {userid: zoe, password: secret, roles: [indexed]}
                """ + PERMISSIONS + """
                    # sees all documents without what is secret
                    - {role: public, predicate: path-prefix('/'), mongo: {projectResponse: {secret: 0, n.secret: 0}}}
                    # sends no queries without an index
                    - {role: indexed, predicate: path-prefix('/'), mongo: {requireIndex: true, allowManagementRequests: true, allowBulkPatch: true}}
                    # sees titles and nothing else
                    - {role: titles, predicate: path-prefix('/'), mongo: {projectResponse: {title: 1, n.title: 1}}}
                """);
    }

    /// @param configuration beginning with [#GUARDS]; every password is `secret`
    public static ConformanceGateway of(String configuration) {
        return new ConformanceGateway(Gateway.start(GatewayConfig.parse(configuration)));
    }

    /// A client with the credentials of a user.
    public TestClient as(String user) {
        return TestClient.of(gateway.address()).as(user, "secret");
    }

    @Override
    public int port() {
        return gateway.address().getPort();
    }

    @Override
    public Optional<String> password(String user) {
        return Optional.of("secret");
    }

    @Override
    public void close() {
        gateway.close();
    }
}
