package org.restheart.core.chaos;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/// Three members, two gateways behind a balancer, and a plain driver beside them.
final class ChaosDeployment implements AutoCloseable {
    /// Clients of the plain driver see faults as early as gateways.
    private static final String AS_THE_GATEWAY =
            "&heartbeatFrequencyMS=1000&connectTimeoutMS=5000" + "&serverSelectionTimeoutMS=10000&timeoutMS=15000";

    private static final long PROBE_MILLIS = 100;

    private final Members members;
    private final MongoClient driver;
    private final List<GatewayChild> gateways;
    private final FaultyProxy balancer;
    private final Random dice;
    private volatile boolean over;

    /// @param fast whether gateways are compiled for throughput, rather than for a quick start
    ChaosDeployment(Path folder, long seed, Members.Options options, boolean fast) throws IOException {
        dice = new Random(seed);
        members = Members.start(3, folder, options);
        driver = MongoClients.create(members.connectionString() + AS_THE_GATEWAY);
        database().createCollection("probe");
        gateways = List.of(
                gateway(folder.resolve("gateway0"), members, fast), gateway(folder.resolve("gateway1"), members, fast));
        gateways.forEach(GatewayChild::awaitStart);
        balancer = new FaultyProxy(gateways.stream().map(GatewayChild::port).toList());
    }

    private static GatewayChild gateway(Path folder, Members members, boolean fast) throws IOException {
        return fast
                ? GatewayChild.fast(folder, members.connectionString())
                : new GatewayChild(folder, members.connectionString());
    }

    Members members() {
        return members;
    }

    MongoClient driver() {
        return driver;
    }

    MongoDatabase database() {
        return driver.getDatabase("chaos");
    }

    FaultyProxy balancer() {
        return balancer;
    }

    /// Copies what the gateways have written beside this file.
    void keepLogs(Path report) throws IOException {
        for (int i = 0; i < gateways.size(); i++) {
            Files.copy(
                    gateways.get(i).log(),
                    report.resolveSibling("chaos-gateway" + i + ".log"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    GatewayChild anyGateway() {
        return gateways.get(dice.nextInt(gateways.size()));
    }

    /// Notes ten times a second when a write succeeds, by the driver and by a gateway.
    void probe(ExecutorService threads, ChaosClient client, Ledger ledger) {
        threads.submit(() -> {
            while (!over) {
                threads.submit(() -> {
                    database()
                            .getCollection("probe", BsonDocument.class)
                            .insertOne(new BsonDocument("driver", new BsonInt32(1)));
                    ledger.success(Ledger.Probe.DRIVER);
                });
                threads.submit(() -> {
                    var response = client.send("POST", "/probe", "{\"gateway\": 1}");
                    if (response != null && response.statusCode() == 201) {
                        ledger.success(Ledger.Probe.GATEWAY);
                    } else {
                        ledger.failed(response == null ? "none" : response.statusCode() + " " + response.body());
                    }
                    return null;
                });
                Thread.sleep(PROBE_MILLIS);
            }
            return null;
        });
    }

    @Override
    public void close() throws IOException {
        over = true;
        gateways.forEach(GatewayChild::close);
        members.close();
        balancer.close();
        driver.close();
    }
}
