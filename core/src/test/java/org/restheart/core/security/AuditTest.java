package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
            assertThat(admin.put("/films", "{}").statusCode()).isEqualTo(201);
            assertThat(admin.put(
                                    "/films/ran?wm=upsert&filter=" + TestGateway.encode("{\"x\": \"S3CRET\"}"),
                                    "{\"title\": \"S3CRET\"}")
                            .statusCode())
                    .isEqualTo(201);
            assertThat(admin.get("/films/ran").statusCode()).isEqualTo(200);
            assertThat(gateway.as("bob").send("DELETE", "/films/ran", "").statusCode())
                    .isEqualTo(403);
            assertThat(gateway.anonymous().get("/films").statusCode()).isEqualTo(401);
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
            assertThat(admin.put(
                                    "/films",
                                    "{\"aggrs\": [{\"uri\": \"w\", \"type\": \"pipeline\", \"stages\": [{\"$out\": \"c\"}]}]}")
                            .statusCode())
                    .isEqualTo(201);
            assertThat(admin.get("/films/_aggrs/w").statusCode()).isEqualTo(200);
            await().until(() -> audited(log).size() == 2);
            assertThat(audited(log).get(1)).contains("\"method\":\"GET\",\"path\":\"/films/_aggrs/w\"");
        }
    }

    @Test
    void reads_leave_one_only_when_asked_for(TestMongo mongo) {
        try (var gateway = TestGateway.start(mongo, "logging: {audit: all, requests-log-mode: 0}\n");
                var log = new LogLines()) {
            assertThat(gateway.as("admin").get("/").statusCode()).isEqualTo(200);
            await().until(() -> audited(log).size() == 1);
        }
    }
}
