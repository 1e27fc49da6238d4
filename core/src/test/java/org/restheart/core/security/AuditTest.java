package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The audit log: who did what, never documents.
@WithMongo
class AuditTest {
    private static List<String> audited(LogLines log) {
        return log.all().stream()
                .filter(line -> line.contains("\"event\":\"request\""))
                .toList();
    }

    @Test
    void writes_and_refusals_leave_a_line_with_the_account_and_no_documents(TestMongo mongo) {
        try (var gateway = TestGateway.start(mongo, "logging: {audit: writes, requests-log-mode: 0}\n");
                var log = new LogLines()) {
            var admin = gateway.as("admin");
            assertStatus(201, admin.put("/films", "{}"));
            assertStatus(
                    201,
                    admin.put(
                            "/films/ran?wm=upsert&filter=" + TestGateway.encode("{\"x\": \"S3CRET\"}"),
                            "{\"title\": \"S3CRET\"}"));
            assertStatus(200, admin.get("/films/ran"));
            assertStatus(403, gateway.as("bob").send("DELETE", "/films/ran", ""));
            assertStatus(401, gateway.anonymous().get("/films"));
            await().until(() -> audited(log).size() >= 4);
            var lines = audited(log);
            assertThat(lines).hasSize(4).noneMatch(line -> line.contains("S3CRET"));
            assertThat(lines.get(1))
                    .contains("\"method\":\"PUT\",\"path\":\"/films/ran\",\"status\":201")
                    .contains("\"account\":\"admin\",\"roles\":[\"admin\"]");
            assertThat(lines.get(2)).contains("\"method\":\"DELETE\"", "\"status\":403", "\"account\":\"bob\"");
            assertThat(lines.get(3)).contains("\"status\":401").doesNotContain("account");
        }
    }

    @Test
    void lines_and_the_request_log_name_the_client_behind_a_trusted_proxy(TestMongo mongo) {
        try (var gateway = TestGateway.start(
                        mongo, "core: {trusted-proxies: [127.0.0.1]}\nlogging: {audit: writes, no-colors: true}\n");
                var log = new LogLines()) {
            var trace = "0af7651916cd43dd8448eb211c80319c";
            var ada = gateway.as("ada")
                    .with("X-Forwarded-For", "198.51.100.1, 203.0.113.7")
                    .with("X-Forwarded-Proto", "https")
                    .with("X-Forwarded-Host", "api.example.com")
                    .with("traceparent", "00-" + trace + "-b7ad6b7169203331-01");
            assertStatus(403, ada.put("/films", "{}"));
            await().until(() ->
                    audited(log).size() == 1 && log.all().stream().anyMatch(line -> line.contains("PUT http")));
            assertThat(audited(log).getFirst())
                    .contains("\"clientAddress\":\"203.0.113.7\",\"peer\":\"127.0.0.1:")
                    .contains("\"trace-id\":\"" + trace + "\"");
            assertThat(log.all())
                    .anyMatch(line ->
                            line.contains("PUT https://api.example.com/films from /203.0.113.7 via /127.0.0.1:"));
        }
    }

    @Test
    void an_address_that_no_trusted_proxy_says_is_not_believed(TestMongo mongo) {
        try (var gateway = TestGateway.start(
                        mongo, "core: {trusted-proxies: [10.0.0.0/8]}\nlogging: {audit: writes, no-colors: true}\n");
                var log = new LogLines()) {
            assertStatus(
                    403,
                    gateway.as("ada").with("X-Forwarded-For", "203.0.113.7").put("/films", "{}"));
            await().until(() -> audited(log).size() == 1);
            assertThat(audited(log).getFirst())
                    .contains("\"clientAddress\":\"127.0.0.1\"")
                    .doesNotContain("203.0.113.7");
        }
    }

    @Test
    void an_aggregation_that_writes_leaves_a_line_though_it_is_run_by_GET(TestMongo mongo) {
        try (var gateway = TestGateway.start(mongo, "logging: {audit: writes, requests-log-mode: 0}\n");
                var log = new LogLines()) {
            var admin = gateway.as("admin");
            assertStatus(
                    201,
                    admin.put(
                            "/films",
                            "{\"aggrs\": [{\"uri\": \"w\", \"type\": \"pipeline\", \"stages\": [{\"$out\":"
                                    + " \"c\"}]}]}"));
            assertStatus(200, admin.get("/films/_aggrs/w"));
            await().until(() -> audited(log).size() == 2);
            assertThat(audited(log).get(1)).contains("\"method\":\"GET\",\"path\":\"/films/_aggrs/w\"");
        }
    }

    @Test
    void reads_leave_one_only_when_asked_for(TestMongo mongo) {
        try (var gateway = TestGateway.start(mongo, "logging: {audit: all, requests-log-mode: 0}\n");
                var log = new LogLines()) {
            assertStatus(200, gateway.as("admin").get("/"));
            await().until(() -> audited(log).size() == 1);
        }
    }
}
