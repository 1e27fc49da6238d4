package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Many clients who change, replace and remove few documents at once: what each is told adds up to what is stored.
@WithMongo
class WritesTogetherTest {
    private static final int CLIENTS = 24;
    private static final int REQUESTS = 50;
    private static final int IDS = 5;

    private final TestMongo mongo;

    @AutoClose
    private final ConformanceGateway gateway;

    private final Map<String, LongAdder> told = new ConcurrentHashMap<>();
    private final Map<String, Set<String>> tags = new ConcurrentHashMap<>();
    private final AtomicInteger largest = new AtomicInteger();

    WritesTogetherTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = ConformanceGateway.start(mongo, """
            mongo: {mongo-mounts: [{what: '*', where: /}], coalescing: {header: true}}
            """);
        mongo.database().drop();
        mongo.database().createCollection("c");
        mongo.database()
                .getCollection("c")
                .createIndex(
                        Indexes.ascending("u"), new IndexOptions().unique(true).sparse(true));
    }

    private HttpResponse<String> send(String method, String idAndQuery, String content, String... headers) {
        var response = gateway.as("admin")
                .with(headers)
                .json(method, "/" + mongo.databaseName() + "/c/" + idAndQuery, content);
        response.headers()
                .firstValue("X-Coalesced")
                .ifPresent(sharing -> largest.accumulateAndGet(Integer.parseInt(sharing), Math::max));
        return response;
    }

    private void fromManyClients(ThrowingConsumer client) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var tasks = new ArrayList<Callable<Void>>();
            for (int i = 0; i < CLIENTS; i++) {
                var random = new Random(i);
                tasks.add(() -> {
                    for (int n = 0; n < REQUESTS; n++) {
                        client.accept(random);
                    }
                    return null;
                });
            }
            for (var task : threads.invokeAll(tasks)) {
                task.get();
            }
        }
    }

    @FunctionalInterface
    private interface ThrowingConsumer {
        void accept(Random random) throws Exception;
    }

    private void count(String what, String id) {
        told.computeIfAbsent(what + " " + id, _ -> new LongAdder()).increment();
    }

    private long counted(String what, String id) {
        var count = told.get(what + " " + id);
        return count == null ? 0 : count.sum();
    }

    /// Each write has a tag of its own.
    private void remember(HttpResponse<String> response, String id) {
        assertThat(tags.computeIfAbsent(id, _ -> ConcurrentHashMap.newKeySet())
                        .add(response.headers().firstValue("ETag").orElseThrow()))
                .isTrue();
    }

    private Document stored(String id) {
        return mongo.database().getCollection("c").find(Filters.eq("_id", id)).first();
    }

    @Test
    void counters_equal_what_clients_were_told() throws Exception {
        fromManyClients(random -> {
            var id = "k" + random.nextInt(IDS);
            switch (random.nextInt(4)) {
                case 0 -> { // with the tag of this moment, which others change
                    var tag = send("GET", id, "").headers().firstValue("ETag").orElse("none");
                    var response = send("PATCH", id, "{\"$inc\": {\"n\": 1}}", "If-Match", tag);
                    assertThat(response.statusCode()).isIn(200, 404, 412);
                    if (response.statusCode() == 200) {
                        count("done", id);
                        remember(response, id);
                    } else if (response.statusCode() == 412) {
                        assertThat(response.headers().firstValue("ETag"))
                                .isPresent()
                                .get()
                                .isNotEqualTo(tag);
                    }
                }
                case 1 -> {
                    var response = send("PATCH", id + "?wm=upsert", "{\"$inc\": {\"n\": 1}}");
                    assertThat(response.statusCode()).isIn(200, 201);
                    count(response.statusCode() == 201 ? "made" : "changed", id);
                    count("done", id);
                    remember(response, id);
                }
                case 2 -> { // a value that one document may have
                    var response = send("PATCH", id, "{\"u\": 1, \"$inc\": {\"n\": 1}}");
                    assertThat(response.statusCode()).isIn(200, 404, 409);
                    if (response.statusCode() == 200) {
                        count("done", id);
                        remember(response, id);
                    }
                }
                default -> {
                    var response = send("PATCH", id, "{\"n.m\": 1}");
                    assertThat(response.statusCode()).isIn(404, 400);
                }
            }
        });
        for (int i = 0; i < IDS; i++) {
            var id = "k" + i;
            assertThat(counted("made", id)).isEqualTo(1);
            assertThat(stored(id).getInteger("n").longValue()).isEqualTo(counted("done", id));
            assertThat(tags.get(id)).contains(stored(id).getObjectId("_etag").toHexString());
        }
        assertThat(mongo.database().getCollection("c").countDocuments(Filters.eq("u", 1)))
                .isLessThanOrEqualTo(1);
        assertThat(largest).as("writes left together").hasValueGreaterThan(1);
    }

    @Test
    void what_was_created_and_not_removed_is_there() throws Exception {
        fromManyClients(random -> {
            var id = "d" + random.nextInt(IDS);
            var response = switch (random.nextInt(4)) {
                case 0 -> send("PUT", id + "?wm=upsert", "{\"of\": \"" + id + "\"}");
                case 1 -> send("PUT", id, "{\"of\": \"" + id + "\"}");
                case 2 -> send("PATCH", id, "{\"$inc\": {\"n\": 1}}");
                default -> send("DELETE", id, "");
            };
            switch (response.statusCode()) {
                case 201 -> {
                    count("made", id);
                    remember(response, id);
                }
                case 200 -> remember(response, id);
                case 204 -> count("removed", id);
                default -> assertStatus(404, response);
            }
        });
        for (int i = 0; i < IDS; i++) {
            var id = "d" + i;
            var stored = stored(id);
            assertThat(counted("made", id) - counted("removed", id)).isEqualTo(stored == null ? 0 : 1);
            if (stored != null) {
                assertThat(stored.getString("of")).isEqualTo(id);
                assertThat(tags.get(id)).contains(stored.getObjectId("_etag").toHexString());
            }
        }
        assertThat(largest).as("writes left together").hasValueGreaterThan(1);
    }
}
