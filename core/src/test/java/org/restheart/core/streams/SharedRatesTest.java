package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Requests that another gateway reports to have admitted; documents of the test stand for that gateway.
@WithMongo
class SharedRatesTest {
    private static final String LIMITS = StreamsGateway.SECURITY + """
            rateLimits: {enabled: true, address-requests-per-minute: 0, account-requests-per-minute: 1,
              account-burst: 1000, shared-db: $db}
            """;

    @Test
    void reports_that_come_back_after_MongoDB_has_removed_them_are_not_counted_again(TestMongo mongo) throws Exception {
        try (var gateway = StreamsGateway.startSecured(mongo, "", LIMITS)) {
            gateway.insert("acl", "{roles: ['reader'], predicate: \"path-prefix('/t')\", mongo: {}}");
            gateway.insert("t", "{_id: 1}");
            gateway.addUser("ann", "reader");
            gateway.addUser("bob", "reader");
            report(gateway, "idle", "{n: {$numberLong: '1'}, address: [], account: [['ann', {$numberLong: '400'}]]}");
            await().until(() -> remaining(gateway, "ann") < 600);
            gateway.collection("_rates").deleteOne(BsonDocument.parse("{_id: 'idle'}"));
            report(gateway, "busy", "{n: {$numberLong: '1'}, address: [], account: [['bob', {$numberLong: '300'}]]}");
            await().until(() -> remaining(gateway, "bob") < 700);
            report(
                    gateway,
                    "idle",
                    "{n: {$numberLong: '1'}, address: [], account: [['ann', {$numberLong: '400'}]]},"
                            + " {n: {$numberLong: '2'}, address: [], account: [['bob', {$numberLong: '300'}]]}");
            await().until(() -> remaining(gateway, "bob") < 400);

            assertThat(remaining(gateway, "ann")).isGreaterThan(400);
        }
    }

    private static void report(StreamsGateway gateway, String name, String reports) {
        gateway.insert("_rates", "{_id: '" + name + "', reports: [" + reports + "]}");
    }

    private static int remaining(StreamsGateway gateway, String account) throws Exception {
        return gateway.send("GET", "/t", "", "Authorization", StreamsGateway.basic(account))
                .headers()
                .firstValue("RateLimit-Remaining")
                .map(Integer::parseInt)
                .orElseThrow();
    }
}
