package org.restheart.core.streams;

import org.junit.jupiter.api.BeforeEach;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Gateways over a replica set, whose change streams they follow.
@WithMongo
class ManyGatewaysTest extends ManyGateways {
    private static final String LONG_KEPT = SECURITY.replace("root-role: admin", "root-role: admin, cache-ttl: 60000");

    @BeforeEach
    void start(TestMongo mongo) {
        start(StreamsGateway.startSecured(mongo, CACHES, LONG_KEPT), mongo.connectionString(), LONG_KEPT);
    }
}
