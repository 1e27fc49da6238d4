package org.restheart.core.data;

import org.junit.jupiter.params.ParameterizedTest;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;
import org.restheart.testkit.conformance.ConformanceCase;
import org.restheart.testkit.conformance.ConformanceFile;

/// The parameter `embed`. Besides the usual callers: `dan` may read orders and their lines, and `fay`, too, who may not
/// sort lines, and `gil`, who may send no parameter with them but `keys`.
@WithMongo
class EmbeddingConformanceTest extends GatewayConformance {
    EmbeddingConformanceTest(TestMongo mongo) {
        super(mongo, gateway(mongo));
    }

    private static ConformanceGateway gateway(TestMongo mongo) {
        return ConformanceGateway.of(ConformanceGateway.GUARDS + """
            mclient: {connection-string: '%s'}
            mongo: {mongo-mounts: [{what: '*', where: /}]}
            """.formatted(mongo.connectionString())
                + ConformanceGateway.ACCOUNTS + """
                    - {userid: eve, password: secret, roles: [titles]}
                    - {userid: dan, password: secret, roles: [lines]}
                    - {userid: fay, password: secret, roles: [unsorted]}
                    - {userid: gil, password: secret, roles: [listed]}
                """ + ConformanceGateway.PERMISSIONS + """
                    - {role: public, predicate: path-prefix('/'), mongo: {projectResponse: {secret: 0, n.secret: 0}}}
                    - {role: titles, predicate: path-prefix('/'), mongo: {projectResponse: {title: 1, n.title: 1}}}
                    - {role: lines, predicate: "path-template('/{db}/orders') or path-template('/{db}/orders/{id}') or path-template('/{db}/lines')"}
                    - {role: listed, predicate: "path-template('/{db}/orders') or (path-template('/{db}/lines') and qparams-whitelist(keys))"}
                    - {role: unsorted, predicate: "path-template('/{db}/orders') or (path-template('/{db}/lines') and qparams-blacklist(sort))"}
                """);
    }

    @ParameterizedTest(name = "{0}")
    @ConformanceFile("reads-embedding.yml")
    void answers_as_specified(ConformanceCase c) {
        run(c);
    }
}
