package org.restheart.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.core.AdminGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// All metrics in one scrape, and what the dashboard and the alerts expect of it.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ScrapeTest {
    private static final Path MONITORING = Path.of("..", "etc", "monitoring");
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    @AutoClose
    private final AdminGateway gateway;

    ScrapeTest(TestMongo mongo) throws Exception {
        gateway = AdminGateway.start(mongo, "enabled: true, accounts: 5, include: ['/*', '/{db}/*']");
    }

    @BeforeAll
    void use() throws Exception {
        gateway.send(gateway.data("/films/ran?wm=upsert")
                .header("Content-Type", "application/json")
                .header("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01")
                .PUT(BodyPublishers.ofString("{\"year\": 1985}")));
        gateway.send(gateway.data("/films/ran"));
        await().until(() -> text("*/*").contains("request_method=\"PUT\""));
    }

    private HttpResponse<String> scrape(String accepted) throws IOException, InterruptedException {
        return gateway.send(gateway.request("/metrics").header("Accept", accepted));
    }

    private String text(String accepted) throws IOException, InterruptedException {
        return scrape(accepted).body();
    }

    private static Set<String> families(String text) {
        return text.lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.split(" ", -1)[2])
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String contentType(HttpResponse<String> answer) {
        return answer.headers().firstValue("Content-Type").orElse("");
    }

    @Test
    void everything_is_in_one_text_for_curl_and_for_those_who_ask_for_nothing() throws Exception {
        for (var answer : List.of(scrape("*/*"), scrape("text/plain"), gateway.send(gateway.request("/metrics")))) {
            assertThat(contentType(answer)).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
            assertThat(answer.body())
                    .contains(
                            "http_requests_count{request_method=\"PUT\",path_template=\"/*\",",
                            "path_template=\"/{db}/*\"",
                            "http_request_duration_seconds_bucket{",
                            "jvm_mem_heap_used ",
                            "gateway_requests_in_flight ",
                            "mongodb_driver_pool_size{",
                            "mongodb_driver_commands_seconds_bucket{command=\"find\",status=\"SUCCESS\",le=\"0.001\"}",
                            "mongodb_up 1",
                            "gateway_reload_success 1",
                            "gateway_account_requests_seconds_count{account=\"admin\"} ",
                            "process_cpu_seconds_total ",
                            "restheart_build_info{build_time=\"")
                    .doesNotContain("# EOF", "trace_id");
        }
    }

    @Test
    void no_family_is_there_twice() throws Exception {
        for (var format : List.of("text/plain", "application/openmetrics-text")) {
            var lines = text(format).lines().toList();
            assertThat(lines.stream().filter(line -> line.startsWith("# TYPE ")))
                    .isNotEmpty()
                    .doesNotHaveDuplicates();
            assertThat(lines.stream().filter(line -> !line.startsWith("#")).map(line -> line.replaceAll("} .*", "}")))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void prometheus_gets_openmetrics_with_exemplars() throws Exception {
        var answer =
                scrape("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1");
        assertThat(contentType(answer)).startsWith("application/openmetrics-text; version=1.0.0");
        assertThat(answer.body())
                .endsWith("\n# EOF\n")
                .containsOnlyOnce("# EOF")
                .contains("# TYPE gateway_requests_rejected counter", "# TYPE http_requests_count unknown")
                .containsPattern("http_request_duration_seconds_bucket\\{[^}]*} [0-9.]+ # \\{trace_id=\"" + TRACE
                        + "\"} [0-9.E-]+ [0-9]+\\.[0-9]{3}\n")
                .doesNotContain(",}");
    }

    @Test
    void only_who_accepts_nothing_but_json_gets_the_list_of_registries() throws Exception {
        var list = scrape("application/json");
        assertThat(contentType(list)).startsWith("application/json");
        assertThat(list.body()).startsWith("[\"/*\", \"/{db}/*\", \"/jvm\"");
        assertThat(contentType(scrape("application/json, text/plain, */*"))).startsWith("text/plain");
        var registry = gateway.send(gateway.request("/metrics/*").header("Accept", "application/openmetrics-text"));
        assertThat(contentType(registry)).startsWith("text/plain");
        assertThat(registry.body()).contains("http_requests_count{").doesNotContain("_bucket");
    }

    @Test
    void the_runbook_has_a_chapter_for_each_alert() throws Exception {
        var runbook = Files.readString(Path.of("..", "docs", "how-to", "runbook.md"));
        var alerts = Pattern.compile("- alert: (\\w+)")
                .matcher(Files.readString(MONITORING.resolve("alerts.yml")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(alerts).hasSizeGreaterThan(15).allMatch(name -> runbook.contains("\n### " + name + "\n"));
    }

    @Test
    void what_the_dashboard_and_the_alerts_name_is_there() throws Exception {
        var families = families(text("text/plain"));
        var named = Pattern.compile("\\b(?:http|gateway|mongodb|coalescing|cursor|result|streams|process|jvm|restheart)"
                + "_[a-z0-9_]+\\b");
        for (var file : List.of("dashboard.json", "alerts.yml")) {
            var names = named.matcher(Files.readString(MONITORING.resolve(file)))
                    .results()
                    .map(match -> match.group())
                    .map(name -> families.contains(name) ? name : name.replaceFirst("_(bucket|sum|count)$", ""))
                    .filter(name -> !name.startsWith("gateway_certificate_")) // with https-listener only
                    .collect(Collectors.toSet());
            assertThat(names).as(file).isNotEmpty().isSubsetOf(families);
        }
    }
}
