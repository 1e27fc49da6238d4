package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GatewayTest {
    @AutoClose
    private final AdminGateway gateway;

    private final String db;

    GatewayTest(TestMongo mongo) throws Exception {
        db = mongo.databaseName();
        gateway = AdminGateway.start(mongo, "enabled: true");
    }

    @Test
    void a_document_makes_a_round_trip() throws Exception {
        var put = gateway.data("/films/ran?wm=upsert")
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString("{\"year\": 1985}"));
        assertStatus(201, gateway.send(put));
        var answer = gateway.send(gateway.data("/films/ran"));
        assertStatus(200, answer);
        assertThat(answer.body()).contains("\"year\": 1985");
        assertThat(answer.headers().firstValue("X-Powered-By")).contains("restheart.org");
        assertThat(answer.headers().firstValue("Date")).isPresent();
        assertThat(answer.headers().firstValue("Access-Control-Expose-Headers")).contains("ETag");
    }

    @Test
    void errors_follow_the_json_mode() throws Exception {
        var plain = gateway.send(gateway.data("/nope"));
        assertStatus(404, plain);
        assertThat(plain.body()).startsWith("{\"http status code\": 404, \"http status description\": \"Not Found\"");
        assertThat(gateway.send(gateway.data("/nope?jsonMode=extended")).body())
                .startsWith("{\"http status code\": {\"$numberInt\": \"404\"}");
        var standard = gateway.send(gateway.data("/nope").header("Accept", "application/problem+json"));
        assertThat(standard.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(standard.body()).contains("\"title\": \"Not Found\"", "\"code\": \"NAMESPACE_NOT_FOUND\"");
    }

    @ParameterizedTest
    @CsvSource({
        "DELETE, /ping, 501",
        "POST, /metrics, 405",
        "POST, /health/live, 405",
        "GET, /_transactions, 405",
        "PUT, /token, 405",
        "PUT, /token/cookie, 405",
        "GET, /_access/else, 404",
        "POST, /roles/admin, 405",
        "POST, /graphql/else, 404",
        "GET, /graphql/else, 405"
    })
    void errors_of_all_services_have_a_body(String method, String path, int status) throws Exception {
        var asking = gateway.request(path).method(method, BodyPublishers.noBody());
        var own = gateway.send(asking);
        assertStatus(status, own);
        assertThat(BsonDocument.parse(own.body())).isNotEmpty();
        var standard = gateway.send(asking.header("Accept", "application/problem+json"));
        assertStatus(status, standard);
        assertThat(standard.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(BsonDocument.parse(standard.body())).containsEntry("status", new BsonInt32(status));
    }

    @Test
    void refusals_at_the_door_tell_nothing_of_what_is_behind() throws Exception {
        var answer = gateway.send(HttpRequest.newBuilder(gateway.uri("/" + db + "/nope?page=a")));
        assertStatus(401, answer);
        assertThat(answer.body()).contains("this needs an account");
        assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).contains("*");
        assertThat(answer.headers().firstValue("X-Powered-By")).isEmpty();
        assertThat(answer.headers().firstValue("Date")).isEmpty();
    }

    @Test
    void the_health_of_the_database_is_public() throws Exception {
        var uri = gateway.uri("/health/db");
        var answer = gateway.send(HttpRequest.newBuilder(uri));
        assertStatus(200, answer);
        assertThat(answer.body())
                .matches("\\{\"status\": \"ok\", \"description\": \"ping successful\", \"latencyMs\": \\d+}");
        assertStatus(200, gateway.send(HttpRequest.newBuilder(uri).method("HEAD", BodyPublishers.noBody())));
        assertStatus(405, gateway.send(HttpRequest.newBuilder(uri).POST(BodyPublishers.noBody())));
    }

    @Test
    void ping_answers_with_the_address_of_the_client() throws Exception {
        var uri = gateway.uri("/ping/anything");
        var answer = gateway.send(HttpRequest.newBuilder(uri).header("X-Forwarded-For", "1.2.3.4, 5.6.7.8\""));
        assertStatus(200, answer);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(answer.body()).contains("\"message\": \"Greetings from RESTHeart!\"", "\"client_ip\": \"1.2.3.4\"");
        assertThat(answer.body()).doesNotContain("${");
        assertStatus(501, gateway.send(HttpRequest.newBuilder(uri).POST(BodyPublishers.noBody())));
        var options = gateway.send(HttpRequest.newBuilder(uri).method("OPTIONS", BodyPublishers.noBody()));
        assertStatus(200, options);
        assertThat(options.headers().firstValue("Access-Control-Allow-Methods")).contains("GET, HEAD");
        assertThat(options.headers().firstValue("Content-Length")).contains("0");
    }

    @Test
    void metrics_count_what_happened() throws Exception {
        gateway.send(gateway.data("/films/never"));
        var list = gateway.send(gateway.request("/metrics").header("Accept", "application/json"));
        assertStatus(200, list);
        assertThat(list.headers().firstValue("Vary")).contains("Accept");
        assertThat(list.body())
                .isEqualTo(
                        "[\"/*\", \"/jvm\", \"/process\", \"/gateway\", \"/caches\", \"/mongo-pool\", \"/coalescing\","
                                + " \"/streams\", \"/data-api\", \"/openapi\", \"/mcp\", \"/plugins\"]");
        await().untilAsserted(() -> {
            var requests = gateway.send(gateway.request("/metrics/*"));
            assertThat(requests.headers().firstValue("Content-Type"))
                    .contains("text/plain; version=0.0.4; charset=utf-8");
            assertThat(requests.body())
                    .containsPattern("http_requests_count\\{request_method=\"GET\",path_template=\"/\\*\","
                            + "response_status_code=\"404\",} \\d");
        });
        assertThat(gateway.send(gateway.request("/metrics/jvm")).body())
                .contains("jvm_mem_heap_used ", "jvm_mem_non_heap_usage ", "jvm_mem_total_max ", "_used_after_gc ");
        assertThat(gateway.send(gateway.request("/metrics/gateway")).body())
                .contains("gateway_requests_in_flight 1.0", "gateway_requests_rejected_total 0.0");
        assertThat(gateway.send(gateway.request("/metrics/mongo-pool")).body()).contains("mongodb_driver_pool_size{");
        var unknown = gateway.send(gateway.request("/metrics/nope"));
        assertStatus(404, unknown);
        assertThat(unknown.body()).contains("there is no registry /nope", "/mongo-pool");
        assertStatus(405, gateway.send(gateway.request("/metrics").POST(BodyPublishers.noBody())));
        var anonymous = HttpRequest.newBuilder(gateway.uri("/metrics"));
        assertStatus(401, gateway.send(anonymous));
    }
}
