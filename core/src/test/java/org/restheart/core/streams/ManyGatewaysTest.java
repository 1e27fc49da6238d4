package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.URI;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

    /// Begun, used and committed by three gateways: no balancer has to send a client to the same one.
    @Test
    void sessions_and_transactions() throws Exception {
        change("PUT", "/t", "{}");
        var session = path(change("POST", "/_sessions", ""));
        var sid = session.substring(session.lastIndexOf('/') + 1);
        var root = StreamsGateway.basic("root");
        var second = others().getFirst();
        var third = others().getLast();
        var begun = send(second, root, "POST", session + "/_txns", "");
        assertStatus(201, begun);
        var inside = "/t?sid=" + sid + "&txn=1";
        assertStatus(201, send(third, root, "POST", inside, "{\"_id\": 1}"));
        change("POST", inside, "{\"_id\": 2}");
        assertStatus(200, send(second, root, "GET", "/t/2?id_type=NUMBER&sid=" + sid + "&txn=1", ""));
        assertStatus(404, send(second, root, "GET", "/t/2?id_type=NUMBER", ""));
        assertStatus(200, send(third, root, "PATCH", session + "/_txns/1", ""));
        assertThat(send(second, root, "GET", "/t/_size", "").body()).contains("\"_size\": 2}");
        change("DELETE", session, "");
    }

    private static String path(HttpResponse<String> created) {
        return URI.create(created.headers().firstValue("Location").orElseThrow())
                .getPath();
    }
}
