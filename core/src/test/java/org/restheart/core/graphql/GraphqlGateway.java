package org.restheart.core.graphql;

import java.util.function.UnaryOperator;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestMongo;

/// Starts gateways whose app definitions are in the test class's own database, at `/defs/gql-apps`. Their users
/// have the password `secret`.
final class GraphqlGateway {
    private GraphqlGateway() {}

    /// @param graphql further keys of the block `graphql`, such as `verbose: true`
    static ConformanceGateway start(TestMongo mongo, String graphql) {
        mongo.database().getCollection("gql-apps").drop();
        mongo.database().createCollection("gql-apps");
        return start(mongo, graphql, UnaryOperator.identity());
    }

    /// Where the collection of definitions is there.
    ///
    /// @param change of the whole configuration
    static ConformanceGateway start(TestMongo mongo, String graphql, UnaryOperator<String> change) {
        return ConformanceGateway.of(change.apply((ConformanceGateway.GUARDS
                        + """
                core: {error-bodies: MINIMAL}
                mclient: {connection-string: '$uri'}
                mongo: {mongo-mounts: [{what: '*', where: /}, {what: /$db, where: /defs}]}
                graphql: {db: $db, collection: gql-apps, $graphql}
                metrics: {enabled: true}
                requestsMetricsCollector: {enabled: true, include: ['/graphql/*']}
                """ + ConformanceGateway.ACCOUNTS + """
                    - {userid: cat, password: secret, roles: [both]}
                    - {userid: eve, password: secret, roles: [apps]}
                    - {userid: dan, password: secret, roles: [nobody]}
                    - {userid: fay, password: secret, roles: [veiled]}
                """ + ConformanceGateway.PERMISSIONS + """
                    # sees all documents without what is secret
                    - {role: public, predicate: path-prefix('/'), mongo: {projectResponse: {secret: 0}}}
                    # both
                    - role: both
                      predicate: path-prefix('/')
                      mongo: {readFilter: {owner: '@user.userid'}, projectResponse: {secret: 0}}
                    # may ask apps and nothing else
                    - {role: apps, predicate: path-prefix('/graphql')}
                    # may ask all apps but those below a path
                    - {role: veiled, predicate: "path-prefix('/graphql') and not path-prefix('/graphql/hidden')"}
                    # without an account
                    - {role: $unauthenticated, predicate: path-prefix('/graphql/open')}
                """)
                .replace("$uri", mongo.connectionString())
                .replace("$db", mongo.databaseName())
                .replace("$graphql", graphql)));
    }
}
