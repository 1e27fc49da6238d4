package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClients;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.restheart.perftest.deploy.HttpServer;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.listen.ListenOrder;
import org.restheart.perftest.listen.ListenOrder.ListenTransport;
import org.restheart.perftest.listen.ListenResult;
import org.restheart.perftest.listen.Listeners;
import org.restheart.perftest.listen.Target;
import org.restheart.perftest.measure.CpuWatch;
import org.restheart.perftest.measure.JvmMemory;

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

    Broadcast(Lab lab, Mongo mongo, int count, String credentials) throws IOException, InterruptedException {
        this.mongo = mongo;
        this.credentials = credentials;
        for (var i = 1; i <= count; i++) {
            gateways.add(lab.startGateway("gateway-" + i, mongo));
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
}
