package org.restheart.core.data;

import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

/// The Atlas Data API and the Model Context Protocol, as their clients know them.
@WithMongo
class DoorsConformanceTest extends GatewayConformance {
    DoorsConformanceTest(TestMongo mongo) {
        super(
                mongo,
                ConformanceGateway.of(ConformanceGateway.GUARDS
                        + """
                        core: {error-bodies: MINIMAL}
                        mclient: {connection-string: '$uri'}
                        mongo: {mongo-mounts: [{what: '*', where: /}]}
                        dataApi: {enabled: true, data-sources: [Cluster0]}
                        mcp: {enabled: true, calls-per-minute: 100000}
                        apiKeyAuthMechanism: {enabled: true}
                        bruteForceAttackGuard: {enabled: false}
                        apiKeyRealm: {keys-db: $keys}
                        fileRealmAuthenticator:
                          enabled: true
                          users:
                            - {userid: admin, password: secret, roles: [admin]}
                            - {userid: ada, password: secret, roles: [owners]}
                            - {userid: bob, password: secret, roles: [public]}
                            - {userid: rae, password: secret, roles: [rest]}
                        fileAclAuthorizer:
                          enabled: true
                          permissions:
                            - role: admin
                              predicate: path-prefix('/')
                              mongo: {allowManagementRequests: true, allowBulkPatch: true, allowBulkDelete: true,
                                allowWriteMode: true, allowAdHocAggregations: true}
                            - role: owners
                              predicate: path-prefix('/') and via('data-api')
                              mongo: {readFilter: {owner: '@user.userid'}}
                            - role: owners
                              predicate: 'method(GET) and regex(pattern="/[^/]+/orders(/.*)?", value=%U, full-match=true)'
                              mongo: {readFilter: {owner: '@user.userid'}, projectResponse: {secret: 0}, allowManagementRequests: true}
                            - {role: public, predicate: path-prefix('/'), mongo: {projectResponse: {secret: 0}}}
                            - {role: rest, predicate: path-prefix('/') and via(rest)}
                        """.replace("$uri", mongo.connectionString()).replace("$keys", mongo.newDatabaseName())));
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile({"data-api.yml", "mcp.yml"})
    void answers_as_specified(ConformanceCase c) {
        run(c);
    }
}
