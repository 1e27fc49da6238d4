package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.restheart.perftest.load.HttpLoad;
import org.restheart.perftest.load.Pace;
import org.restheart.perftest.load.RequestTemplate;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.measure.Recording;
import org.restheart.perftest.workload.Window;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `load`: the load client by itself, against any address.
@Command(
        name = "load",
        description = "Loads any http:// address and prints what it measured; for looking around, leaves no results. "
                + "Takes as long as it is told.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class LoadCommand implements Callable<Integer> {
    @Parameters(description = "The address; a {} in it becomes a random document id, see --ids.", paramLabel = "URI")
    String address = "";

    @Option(names = "--method", description = "Default ${DEFAULT-VALUE}.")
    String method = "GET";

    @Option(names = "--body", description = "Sent as application/json.")
    String body = "";

    @Option(names = "--header", description = "A header field, such as 'Accept: text/csv'; repeatable.")
    List<String> headers = new ArrayList<>();

    @Option(names = "--user", description = "name:password for HTTP Basic.")
    String user = "";

    @Option(names = "--ids", description = "How many ids {} ranges over; default ${DEFAULT-VALUE}.")
    int ids = 100000;

    @Option(names = "--connections", description = "Default ${DEFAULT-VALUE}.")
    int connections = 128;

    @Option(names = "--threads", description = "Default ${DEFAULT-VALUE}.")
    int threads = 1;

    @Option(
            names = "--rate",
            description = "Requests per second whatever the server does, corrected for coordinated omission; "
                    + "0 (default): each connection sends when it has been answered.")
    double rate = 0;

    @Option(names = "--warm-up", description = "Seconds; default ${DEFAULT-VALUE}.")
    double warmUp = 2;

    @Option(names = "--seconds", description = "Default ${DEFAULT-VALUE}.")
    double seconds = 5;

    @Option(names = "--pid", description = "name=process id, whose CPU time to tell; repeatable.")
    Map<String, Long> pids = new LinkedHashMap<>();

    @Override
    public Integer call() throws Exception {
        var uri = URI.create(address.replace("{}", "%7B%7D"));
        var target = (uri.getRawPath().isEmpty() ? "/" : uri.getRawPath())
                + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
        var port = uri.getPort() < 0 ? 80 : uri.getPort();
        var traffic = new RequestTemplate(
                method,
                target.replace("%7B%7D", "{}"),
                fields(uri, port),
                body,
                (address + body).contains("{}")
                        ? new RequestTemplate.Slot.RandomId(ids)
                        : new RequestTemplate.Slot.Nothing());
        var pace = rate > 0 ? new Pace.Open(rate) : new Pace.Closed();
        var load = new HttpLoad(
                uri.getHost(), port, traffic, connections, threads, pace, Window.seconds(warmUp, seconds), 42);
        print(load.run(new Recording(new CpuWatch(pids).alsoThisProcess("client"))));
        return 0;
    }

    private List<String> fields(URI uri, int port) {
        var fields = new ArrayList<>(headers);
        fields.add("Host: " + uri.getHost() + ":" + port);
        if (!user.isEmpty()) {
            fields.add("Authorization: Basic "
                    + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8)));
        }
        return fields;
    }

    private static void print(Measurement measured) {
        var latency = measured.latency();
        System.out.printf(
                ROOT,
                "%,.0f/s over %.1f s; ms: mean %.2f, p50 %.2f, p95 %.2f, p99 %.2f, p99.9 %.2f, max %.2f%n",
                measured.rate(),
                measured.seconds(),
                latency.mean() / 1000,
                latency.p50() / 1000,
                latency.p95() / 1000,
                latency.p99() / 1000,
                latency.p999() / 1000,
                latency.max() / 1000);
        measured.cpu()
                .seconds()
                .forEach((name, cpu) -> System.out.printf(
                        ROOT, "CPU %s: %.1f µs per request%n", name, cpu * 1e6 / Math.max(1, measured.operations())));
        System.out.println("errors: " + measured.errors() + ", due but not sent: " + measured.behind());
    }
}
