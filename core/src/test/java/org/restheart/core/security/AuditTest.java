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
    void an_aggregation_that_writes_leaves_a_line_though_it_is_run_by_GET(TestMongo mongo) {
        try (var gateway = TestGateway.start(mongo, "logging: {audit: writes, requests-log-mode: 0}\n");
                var log = new LogLines()) {
            var admin = gateway.as("admin");
            assertStatus(
                    201,
                    admin.put(
                            "/films",
                            "{\"aggrs\": [{\"uri\": \"w\", \"type\": \"pipeline\", \"stages\": [{\"$out\": \"c\"}]}]}"));
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
