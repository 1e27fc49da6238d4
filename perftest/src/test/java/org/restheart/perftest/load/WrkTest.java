package org.restheart.perftest.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.perftest.measure.CpuUse;
import org.restheart.perftest.workload.Documents;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Operation.Ycsb.YcsbWorkload;
import org.restheart.perftest.workload.Zipf;

class WrkTest {
    private static final RestDialect DIALECT = new RestDialect(8080, "admin:secret", "", "", 1);
    private static final Namespace DOCS = new Namespace("db", "docs");

    @TempDir
    Path folder = Path.of("");

    @Test
    void a_request_is_cut_where_each_has_another_value() {
        var read = DIALECT.traffic(new Operation.FindById(DOCS, 10)).getFirst();
        assertThat(read.parts())
                .containsExactly(
                        "GET /db/docs/",
                        " HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAuthorization: Basic YWRtaW46c2VjcmV0\r\n\r\n");
        assertThat(read.values()).contains(Documents.id(7).toHexString());
    }

    @Test
    void the_length_of_a_body_counts_the_value_in_it() {
        var call = new Requests("POST", "/x", List.of(), "{\"id\":\"{}\"}", List.of("abc", "def"), 1);
        assertThat(String.join("abc", call.parts())).endsWith("Content-Length: 12\r\n\r\n{\"id\":\"abc\"}");
    }

    @Test
    void a_workload_has_its_proportions_and_each_kind_its_values() throws Exception {
        var script = Wrk.script(
                folder,
                DIALECT.accepting("application/bson").traffic(new Operation.Ycsb(DOCS, YcsbWorkload.E, 1_000)),
                42);
        assertThat(Files.readString(script))
                .contains("kind(5, \"POST /db/docs HTTP/1.1\\r\\n")
                .contains("kind(95, \"GET /db/docs?sort=")
                .contains("Accept: application/bson")
                .contains("math.randomseed(42)");
        assertThat(Files.readAllLines(folder.resolve("values-1")))
                .hasSizeGreaterThan(1_000)
                .allMatch(value -> value.matches("%7B%22_id%22.*%7D%7D&pagesize=\\d{1,3}"));
    }

    @Test
    void refused_requests_are_errors_and_no_operations() throws Exception {
        var summary = Wrk.summary("Running 5s test\n{\"micros\":5000000,\"requests\":100,\"bytes\":9,\"refused\":10,"
                + "\"broken\":2,\"timeouts\":0,\"latency\":{\"mean\":1.5,\"p50\":1,\"p75\":1,\"p90\":2,\"p95\":2,"
                + "\"p99\":3,\"p999\":3,\"max\":4}}\n");
        var measured = summary.measurement(Optional.empty(), new CpuUse(Map.of(), 1, 1, 0, 0, 0, 0));
        assertThat(measured.rate()).isEqualTo(18);
        assertThat(measured.latency().p99()).isEqualTo(3);
        assertThat(measured.errors()).isEqualTo(Map.of("HTTP 400 or more", 10L, "connection", 2L));
    }

    @Test
    void few_keys_are_chosen_often_and_all_are_known() {
        var zipf = new Zipf(1_000);
        var random = new SplittableRandom(1);
        var times = new int[1_000];
        for (int i = 0; i < 100_000; i++) {
            times[zipf.next(random)]++;
        }
        int most = Arrays.stream(times).max().orElseThrow();
        assertThat(most).isBetween(11_000, 15_000); // 1 / zeta(1000, 0.99) is 0.13
    }
}
