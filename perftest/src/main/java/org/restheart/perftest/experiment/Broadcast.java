package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import com.mongodb.client.MongoClients;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.types.ObjectId;
import org.restheart.perftest.deploy.HttpServer;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.listen.EventText;
import org.restheart.perftest.listen.ListenOrder;
import org.restheart.perftest.listen.ListenOrder.ListenTransport;
import org.restheart.perftest.listen.ListenResult;
import org.restheart.perftest.listen.Listeners;
import org.restheart.perftest.listen.Target;
import org.restheart.perftest.measure.CpuUse;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.JvmMemory;
import org.restheart.perftest.measure.Latency;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.report.Row;

/// One level of the notifications experiment: gateways, a stream, listening processes, and somebody who posts.
final class Broadcast implements Closeable {
    private static final List<String> LISTENER_JVM = List.of("-Xmx1g", "-XX:+UseSerialGC");

    private final Mongo mongo;
    private final String credentials;
    private final List<HttpServer> gateways = new ArrayList<>();
    private final List<Listeners> processes = new ArrayList<>();
    private final StreamCollection collection;

    /// What to do. Immutable.
    ///
    /// @param padding bytes of each document
    /// @param seconds of posting
    /// @param timeout seconds
    record Plan(
            ListenTransport transport,
            int listeners,
            int streamsPerConnection,
            int stalled,
            int padding,
            double rate,
            double seconds,
            int timeout,
            int connectionsPerProcess) {

        int events() {
            return (int) Math.round(rate * seconds);
        }

        int processes() {
            var connections = Math.ceilDiv(listeners, streamsPerConnection) + stalled;
            return Math.ceilDiv(connections, connectionsPerProcess);
        }
    }

    Broadcast(TestBed bed, Mongo mongo, int count, String credentials) throws IOException, InterruptedException {
        this.mongo = mongo;
        this.credentials = credentials;
        for (var i = 1; i <= count; i++) {
            gateways.add(bed.startGateway("gateway-" + i, mongo));
        }
        collection = new StreamCollection(gateways.getFirst().port(), credentials);
    }

    BroadcastOutcome run(Plan plan) throws IOException, InterruptedException {
        collection.create();
        var before = memory();
        connect(plan);
        var accepted = 0;
        for (var process : processes) {
            accepted += process.awaitConnected();
        }
        if (accepted == 0) {
            throw new IOException(
                    "none of " + plan.listeners() + " listeners was accepted at " + collection.streamPath());
        }
        var after = memory();
        var watch = watch();
        var begin = watch.read();
        var firstAt = collection.post(plan.rate(), plan.events(), plan.padding());
        var results = new ArrayList<ListenResult>();
        for (var process : processes) {
            results.add(process.awaitResult());
        }
        var cpu = watch.since(begin);
        return new BroadcastOutcome(
                plan,
                accepted,
                firstAt,
                results,
                cpu,
                after.liveHeap() - before.liveHeap(),
                after.resident() - before.resident());
    }

    private void connect(Plan plan) throws IOException {
        var targets = gateways.stream()
                .map(gateway -> new Target("127.0.0.1", gateway.port(), collection.streamPath(), credentials))
                .toList();
        var count = plan.processes();
        for (var i = 0; i < count; i++) {
            var share = plan.listeners() / count + (i < plan.listeners() % count ? 1 : 0);
            var order = new ListenOrder(
                    targets,
                    plan.transport(),
                    share,
                    plan.streamsPerConnection(),
                    i == 0 ? plan.stalled() : 0,
                    plan.events(),
                    plan.timeout() * 1000L);
            processes.add(Listeners.start(order, LISTENER_JVM));
        }
    }

    /// Of all gateways together.
    private JvmMemory memory() throws IOException, InterruptedException {
        var liveHeap = 0L;
        var resident = 0L;
        for (var gateway : gateways) {
            var memory = JvmMemory.of(gateway.pid());
            liveHeap += memory.liveHeap();
            resident += memory.resident();
        }
        return new JvmMemory(liveHeap, resident);
    }

    private CpuWatch watch() {
        var pids = new TreeMap<String, Long>();
        pids.put("mongod", mongo.pid());
        IntStream.range(0, gateways.size())
                .forEach(i -> pids.put(
                        "gateway" + (i == 0 ? "" : i + 1), gateways.get(i).pid()));
        IntStream.range(0, processes.size())
                .forEach(i -> pids.put(
                        "listeners" + (i == 0 ? "" : i + 1), processes.get(i).pid()));
        return new CpuWatch(pids).alsoThisProcess("poster");
    }

    @Override
    public void close() throws IOException {
        processes.forEach(Listeners::close);
        collection.close();
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase(Dataset.DATABASE)
                    .getCollection(collection.name())
                    .drop();
        }
        gateways.forEach(HttpServer::close);
    }

    /// A collection with a change stream, made and filled through a gateway.
    private static final class StreamCollection implements Closeable {
        private final HttpClient http = HttpClient.newHttpClient();
        private final int port;
        private final String credentials;
        private final String name = "stream-" + new ObjectId().toHexString();
        private final String path = "/" + Dataset.DATABASE + "/" + name;

        StreamCollection(int port, String credentials) {
            this.port = port;
            this.credentials = credentials;
        }

        String name() {
            return name;
        }

        String streamPath() {
            return path + "/_streams/all";
        }

        void create() throws IOException, InterruptedException {
            send("PUT", "/" + Dataset.DATABASE, "{}", 200, 201);
            send("PUT", path, "{\"streams\":[{\"uri\":\"all\",\"stages\":[]}]}", 200, 201);
        }

        /// Posts so many numbered documents at a steady rate.
        ///
        /// @param padding bytes of each document
        /// @return when the first was posted, by [System#nanoTime()]
        long post(double rate, int count, int padding) throws IOException, InterruptedException {
            var firstAt = System.nanoTime();
            for (var i = 0; i < count; i++) {
                TimeUnit.NANOSECONDS.sleep(firstAt + (long) (i * 1e9 / rate) - System.nanoTime());
                send("POST", path, EventText.document(i + 1, System.nanoTime(), padding), 201, 201);
            }
            return firstAt;
        }

        private void send(String method, String target, String body, int either, int or)
                throws IOException, InterruptedException {
            var basic = Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
                    .header("Authorization", "Basic " + basic)
                    .header("Content-Type", "application/json")
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .build();
            var response = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != either && response.statusCode() != or) {
                throw new IOException(
                        method + " " + target + " was answered with " + response.statusCode() + ": " + response.body());
            }
        }

        @Override
        public void close() {
            http.close();
        }
    }

    /// What a broadcast showed. Immutable.
    ///
    /// @param firstAt when the first document was posted, by [System#nanoTime()]
    /// @param heapGrowth bytes by which the gateways' live heaps have grown through idle listeners
    /// @param residentGrowth the same of their resident memory
    record BroadcastOutcome(
            Broadcast.Plan plan,
            int accepted,
            long firstAt,
            List<ListenResult> results,
            CpuUse cpu,
            long heapGrowth,
            long residentGrowth) {

        /// By which the live heap of an idle gateway differs between two measurements: classes, caches, metrics.
        private static final long HEAP_NOISE = 1L << 20;

        /// By which resident memory does: the JVM returns pages when it collects, compiles, and keeps arenas.
        private static final long RESIDENT_NOISE = 32L << 20;

        Row row(ListenTransport transport, int level, int repetition) {
            var latencies = Latency.histogram();
            results.forEach(result -> latencies.add(result.histogram()));
            var measurement = new Measurement(
                    seconds(),
                    deliveries(),
                    Latency.of(latencies),
                    troubles(),
                    results.stream().mapToLong(ListenResult::bytes).sum(),
                    Optional.empty(),
                    cpu);
            return new Row(
                    "notification",
                    "gateway, " + transport
                            + (plan.stalled() == 0 ? "" : ", besides " + plan.stalled() + " that never read"),
                    level,
                    repetition,
                    measurement);
        }

        private double seconds() {
            var last = results.stream().mapToLong(ListenResult::lastAt).max().orElse(firstAt);
            return Math.max(1, last - firstAt) / 1e9;
        }

        private long deliveries() {
            return results.stream().mapToLong(ListenResult::deliveries).sum();
        }

        /// What the listeners noticed, and what they should have received and did not.
        private Map<String, Long> troubles() {
            var troubles = new TreeMap<String, Long>();
            results.forEach(
                    result -> result.troubles().forEach((kind, count) -> troubles.merge(kind, count, Long::sum)));
            troubles.keySet().removeIf(kind -> kind.startsWith("stalled listener"));
            var lost = (long) plan.listeners() * plan.events() - deliveries();
            if (lost != 0) {
                troubles.put("lost", Math.max(lost, 0));
            }
            return troubles;
        }

        List<String> notes(int level) {
            var time = deliveries() == 0 ? 0 : seconds() * 1000 * level / deliveries();
            return List.of(
                    String.format(
                            ROOT,
                            "%,d listeners, %,d accepted: %,d of %,d notifications in %.1f s; mean notification time"
                                    + " %.1f ms where %.1f ms is real time",
                            level,
                            accepted,
                            deliveries(),
                            (long) plan.listeners() * plan.events(),
                            seconds(),
                            time,
                            1000 / plan.rate()),
                    String.format(
                            ROOT,
                            "%,d listeners idle: %s of live heap each, %s of resident memory each",
                            level,
                            each(heapGrowth, HEAP_NOISE, level),
                            each(residentGrowth, RESIDENT_NOISE, level)));
        }

        /// Memory that grew by less than it varies in an idle process is not divided.
        static String each(long growth, long noise, int level) {
            return growth < noise
                    ? String.format(ROOT, "below noise (all together grew by less than %d MiB)", noise >> 20)
                    : String.format(ROOT, "%.2f KiB", growth / 1024.0 / level);
        }
    }
}
