package org.restheart.perftest.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.restheart.perftest.measure.CpuUse;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.Latency;
import org.restheart.perftest.measure.Measurement;
import tools.jackson.databind.json.JsonMapper;

/// The load client wrk, as Debian has it: a closed loop over HTTP/1.1 connections that are kept open.
public final class Wrk {
    /// The name of its process in [org.restheart.perftest.measure.CpuUse].
    public static final String CLIENT = "client";

    private static final JsonMapper JSON = new JsonMapper();

    /// Reads the values of each kind of request from a file, since one Lua function may have 65,536 constants at most.
    private static final String SCRIPT = """
        local kinds, order = {}, {}
        local function kind(weight, before, after, file)
          local values = {}
          if file then for line in io.lines(file) do values[#values + 1] = line end end
          kinds[#kinds + 1] = { before = before, after = after, values = values }
          for _ = 1, weight do order[#order + 1] = kinds[#kinds] end
        end
        @kinds
        math.randomseed(@seed)
        local random = math.random
        request = function()
          local kind = #order == 1 and order[1] or order[random(#order)]
          local values = kind.values
          if #values == 0 then return kind.before end
          return kind.before .. values[random(#values)] .. kind.after
        end
        done = function(summary, latency, requests)
          local e = summary.errors
          io.write(string.format('\\n{"micros":%d,"requests":%d,"bytes":%d,"refused":%d,"broken":%d,"timeouts":%d,"latency":'
              .. '{"mean":%.1f,"p50":%d,"p75":%d,"p90":%d,"p95":%d,"p99":%d,"p999":%d,"max":%d}}\\n',
              summary.duration, summary.requests, summary.bytes, e.status, e.connect + e.read + e.write, e.timeout,
              latency.mean, latency:percentile(50), latency:percentile(75), latency:percentile(90), latency:percentile(95),
              latency:percentile(99), latency:percentile(99.9), latency.max))
        end
        """;

    private Wrk() {}

    /// Loads a server for so many seconds and measures that.
    ///
    /// @param pids whose CPU time is measured besides the client's, by name
    /// @throws IOException also if there is no wrk
    public static Measurement run(
            int port,
            List<Requests> requests,
            int connections,
            int threads,
            int seconds,
            long seed,
            Map<String, Long> pids)
            throws IOException, InterruptedException {
        var folder = Files.createTempDirectory("wrk");
        try {
            var script = script(folder, requests, seed);
            int used = Math.min(threads, connections);
            var command = List.of(
                    "wrk",
                    "-t" + used,
                    "-c" + connections,
                    "-d" + seconds + "s",
                    "--timeout",
                    "60s",
                    "-s",
                    script.toString(),
                    "http://127.0.0.1:" + port);
            var watch = new CpuWatch(pids).alsoChildren(CLIENT);
            var begin = watch.read();
            var process = start(command);
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException("wrk failed: " + output);
            }
            var cpu = watch.since(begin);
            double busy = cpu.seconds().getOrDefault(CLIENT, 0.0) / seconds / used;
            return summary(output).measurement(Optional.of(busy), cpu);
        } finally {
            delete(folder);
        }
    }

    private static Process start(List<String> command) throws IOException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException("needs wrk: apt-get install wrk", e);
        }
    }

    static Path script(Path folder, List<Requests> requests, long seed) throws IOException {
        var kinds = new ArrayList<String>();
        for (var kind : requests) {
            var parts = kind.parts();
            var text = "kind(" + kind.weight() + ", " + literal(parts.getFirst());
            if (!kind.values().isEmpty()) {
                var values = Files.write(folder.resolve("values-" + kinds.size()), kind.values());
                text += ", " + literal(parts.getLast()) + ", " + literal(values.toString());
            }
            kinds.add(text + ")");
        }
        return Files.writeString(
                folder.resolve("load.lua"),
                SCRIPT.replace("@kinds", String.join("\n", kinds)).replace("@seed", Long.toString(seed)));
    }

    /// As Lua writes a string: JSON's escapes are Lua's too, for what requests hold.
    private static String literal(String text) {
        return JSON.writeValueAsString(text);
    }

    static Summary summary(String output) throws IOException {
        var line = output.lines().filter(each -> each.startsWith("{")).findFirst();
        return JSON.readValue(line.orElseThrow(() -> new IOException("wrk says: " + output)), Summary.class);
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /// What wrk says. Times in microseconds.
    ///
    /// @param refused responses with a status of 400 or more, which are among the requests
    record Summary(long micros, long requests, long bytes, long refused, long broken, long timeouts, Latency latency) {

        Measurement measurement(Optional<Double> busy, CpuUse cpu) {
            var errors = new TreeMap<String, Long>();
            errors.put("HTTP 400 or more", refused);
            errors.put("connection", broken);
            errors.put("timeout", timeouts);
            errors.values().removeIf(count -> count == 0);
            return new Measurement(micros / 1e6, requests - refused, latency, errors, bytes, busy, cpu);
        }
    }
}
