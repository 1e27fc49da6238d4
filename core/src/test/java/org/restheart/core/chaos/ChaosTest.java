package org.restheart.core.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// Faults, one after the other, while clients write, read and listen. `./dev chaos` runs longer plans.
@Tag("chaos")
class ChaosTest {
    private static final List<Fault> SHORT = List.of(
            Fault.STEP_DOWN,
            Fault.KILL_GATEWAY,
            Fault.MONGO_CONNECTIONS_RESET,
            Fault.CLIENT_CONNECTIONS_RESET,
            Fault.KILL_PRIMARY);

    private static final long SEED = Long.getLong("chaos.seed", 17);

    @TempDir
    Path folder;

    private final Ledger ledger = new Ledger();

    private static List<Fault> plan() {
        var plan = System.getProperty("chaos.plan", "short");
        var once = switch (plan) {
            case "short" -> SHORT;
            case "long" -> List.of(Fault.values());
            default -> Arrays.stream(plan.split(",")).map(Fault::valueOf).toList();
        };
        var faults = new ArrayList<Fault>();
        var dice = new Random(SEED);
        for (int round = 0; round < Integer.getInteger("chaos.rounds", 1); round++) {
            var shuffled = new ArrayList<>(once);
            Collections.shuffle(shuffled, dice);
            faults.addAll(shuffled);
        }
        return faults;
    }

    /// There is no gateway in this process, which would set up the log.
    @BeforeAll
    static void logWarningsOnly() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logs) {
            logs.getLogger("org.mongodb").setLevel(Level.WARN);
        }
    }

    @Test
    void nothing_acknowledged_is_lost_doubled_or_reordered() throws Exception {
        var violations = new ArrayList<String>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var deployment = new ChaosDeployment(folder, SEED)) {
            var client = new ChaosClient(deployment.balancer().port(), ledger);
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(client.status(
                                    "PUT", "/inserts", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}"))
                            .isIn(200, 201));
            try (var first = new EventListener(deployment.balancer().port(), ledger);
                    var second = new EventListener(deployment.balancer().port(), ledger)) {
                await().atMost(Duration.ofSeconds(20)).until(() -> first.isListening() && second.isListening());
                TimeUnit.SECONDS.sleep(1); // a stream begins after its response has
                var workload = new Workload(client, ledger, SEED);
                try {
                    workload.start(threads, deployment.database());
                    await().atMost(Duration.ofSeconds(20)).until(() -> first.received() > 0 && second.received() > 0);
                    deployment.probe(threads, client, ledger);
                    for (var fault : plan()) {
                        run(fault, deployment, client);
                    }
                } finally {
                    workload.stop();
                }
                violations.addAll(workload.violations(deployment.database()));
                var stored = new HashSet<String>();
                deployment
                        .database()
                        .getCollection("inserts", BsonDocument.class)
                        .find()
                        .forEach(document -> stored.add(document.getString("k").getValue()));
                for (var listener : List.of(first, second)) {
                    awaitEvents(listener, stored.size());
                    violations.addAll(listener.violations(workload.inserted(), stored));
                    System.out.println("listener: " + listener.summary());
                }
                System.out.println(ledger.total() + " acknowledged writes, " + workload.transfers() + " transactions, "
                        + workload.givenUp() + " given up, seed " + SEED);
                assertThat(workload.transfers())
                        .as("transactions that moved money")
                        .isPositive();
            }
        }
        System.out.println(ledger.table());
        var report = System.getProperty("chaos.report");
        if (report != null) {
            Files.writeString(Path.of(report), ledger.table());
        }
        assertThat(violations.stream().limit(20)).isEmpty();
        assertThat(ledger.isClean()).as("no response is a fault of the gateway").isTrue();
    }

    private static void awaitEvents(EventListener listener, int atLeast) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (listener.received() < atLeast && System.nanoTime() < until) {
            Thread.sleep(100);
        }
    }

    /// Until a request succeeds again.
    private void run(Fault fault, ChaosDeployment deployment, ChaosClient client) throws Exception {
        System.out.println(fault);
        ledger.begin(fault.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        fault.run(deployment);
        deployment.members().awaitHealthy(deployment.driver());
        await().atMost(Duration.ofSeconds(60)).until(() -> client.status("POST", "/probe", "{\"after\": 1}") == 201);
        TimeUnit.SECONDS.sleep(1);
    }
}
