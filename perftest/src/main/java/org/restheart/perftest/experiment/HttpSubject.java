package org.restheart.perftest.experiment;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.load.HttpLoad;
import org.restheart.perftest.load.Pace;
import org.restheart.perftest.load.Traffic;
import org.restheart.perftest.load.Traffic.Slot;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.worker.Task;
import org.restheart.perftest.worker.Worker;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Payload;
import org.restheart.perftest.workload.Window;

/// A server that speaks the gateway's REST dialect, loaded by a worker process.
///
/// @param watch its process, and MongoDB's
/// @param threads of the load client, at most
record HttpSubject(
        String name, Worker worker, int port, Map<String, Long> watch, String credentials, int threads, long seed)
        implements Subject {

    @Override
    public Measurement measure(Operation operation, int concurrency, Window window) throws IOException {
        return worker.run(new Task.Http(load(operation, concurrency, new Pace.Closed(), window), watch));
    }

    HttpLoad load(Operation operation, int concurrency, Pace pace, Window window) {
        return new HttpLoad(
                "127.0.0.1", port, traffic(operation), concurrency, Math.min(threads, concurrency), pace, window, seed);
    }

    /// The same work as the driver's, in the gateway's terms.
    private Traffic traffic(Operation operation) {
        var path = operation.namespace().path();
        return switch (operation) {
            case Operation.Insert(var _, var batch, var bytes) -> {
                var document = Payload.document(0, bytes).toJson();
                var body = batch == 1 ? document : "[" + (document + ",").repeat(batch - 1) + document + "]";
                yield Traffic.of("POST", path, fields(), body, new Slot.Nothing());
            }
            case Operation.FindById(var _, var documents) -> get(path + "/{}", new Slot.RandomId(documents));
            case Operation.Page(var _, var skip, var limit) ->
                get(page(path, limit) + (skip / limit + 1), new Slot.Nothing());
            case Operation.RandomPage(var _, var from, var to, var limit) ->
                get(page(path, limit) + "{}", new Slot.RandomNumber(from / limit + 1, to / limit + 1));
            case Operation.GrowingPage(var _, var from, var step, var limit) ->
                get(page(path, limit) + "{}", new Slot.GrowingNumber(from / limit + 1, step / limit));
            case Operation.Matching(var _, var regex, var limit) ->
                get(
                        page(path, limit) + "1&filter=" + encoded("{\"text\":{\"$regex\":\"" + regex + "\"}}"),
                        new Slot.Nothing());
        };
    }

    private static String page(String path, int limit) {
        return path + "?pagesize=" + limit + "&page=";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Traffic get(String target, Slot slot) {
        return Traffic.of("GET", target, fields(), "", slot);
    }

    private List<String> fields() {
        var basic = Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
        return List.of("Host: 127.0.0.1:" + port, "Authorization: Basic " + basic);
    }
}
