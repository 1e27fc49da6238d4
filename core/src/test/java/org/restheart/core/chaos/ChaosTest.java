package org.restheart.core.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import com.mongodb.client.model.Filters;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// Faults, one after the other, while clients write, read and listen. `./dev chaos` runs longer plans.
@Tag("chaos")
class ChaosTest {
    /// In every build.
    private static final List<Fault> SHORT =
            List.of(Fault.KILL_GATEWAY, Fault.MONGO_CONNECTIONS_RESET, Fault.KILL_PRIMARY);

    private static final long SEED = Long.getLong("chaos.seed", 17);

    private static final @Nullable String REPORT = System.getProperty("chaos.report");

    @TempDir
    Path folder;

    private final Ledger ledger = new Ledger();

    /// Clients of [VolumeWorkload]; 0 for none.
    private static final int WRITERS = Integer.getInteger("chaos.writers", 0);

    /// Between faults.
    private static final int STEADY_SECONDS = Integer.getInteger("chaos.steady", 0);

    /// Further rounds are added until so many writes are acknowledged.
    private static final long WRITES = Long.getLong("chaos.writes", 0);

    private static List<Fault> faults() {
        var plan = System.getProperty("chaos.plan", "short");
        var faults = switch (plan) {
            case "short" -> SHORT;
            case "long" -> List.of(Fault.values());
            default -> Arrays.stream(plan.split(",")).map(Fault::valueOf).toList();
        };
        return faults.stream()
                .filter(fault -> {
                    if (!fault.isPossible()) {
                        System.out.println(fault + " is left out: this machine lacks what it needs");
                    }
                    return fault.isPossible();
                })
                .toList();
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
        var faults = faults();
        var options = new Members.Options(WRITERS > 0 ? 1_024 : 256, faults.contains(Fault.DISK_FULL));
        var volume = new ArrayList<VolumeWorkload>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var deployment = new ChaosDeployment(folder, SEED, options, WRITERS > 0)) {
            var client = new ChaosClient(deployment.balancer().port(), ledger);
            await().untilAsserted(() -> assertThat(
                            client.status("PUT", "/inserts", "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}"))
                    .isIn(200, 201));
            try (var first = new EventListener(deployment.balancer().port(), ledger);
                    var second = new EventListener(deployment.balancer().port(), ledger)) {
                await().until(
                                () -> { // a stream begins after its response has
                                    client.status("POST", "/inserts", "{\"k\": \"" + EventListener.FIRST + "\"}");
                                    return first.hasBegun() && second.hasBegun();
                                });
                var workload = new Workload(client, ledger, SEED);
                try {
                    workload.start(threads, deployment.database());
                    await().until(() -> first.received() > 0 && second.received() > 0);
                    deployment.probe(threads, client, ledger);
                    if (WRITERS > 0) {
                        volume.add(new VolumeWorkload(deployment.balancer().port(), ledger, SEED));
                        volume.getFirst().start(WRITERS, threads, deployment.database());
                        steady();
                    }
                    var dice = new Random(SEED);
                    int rounds = Integer.getInteger("chaos.rounds", 1);
                    for (int round = 0; round < rounds || ledger.total() < WRITES; round++) {
                        var shuffled = new ArrayList<>(faults);
                        Collections.shuffle(shuffled, dice);
                        for (var fault : shuffled) {
                            run(fault, deployment, client);
                            steady();
                            if (round >= rounds && ledger.total() >= WRITES) {
                                break;
                            }
                        }
                    }
                } finally {
                    workload.stop();
                    for (var each : volume) {
                        each.stop();
                    }
                    if (REPORT != null) {
                        deployment.keepLogs(Path.of(REPORT));
                    }
                }
                ledger.end();
                violations.addAll(workload.violations(deployment.database()));
                for (var each : volume) {
                    violations.addAll(each.violations(deployment.database()));
                }
                var stored = new HashSet<String>();
                deployment
                        .database()
                        .getCollection("inserts", BsonDocument.class)
                        .find(Filters.ne("k", EventListener.FIRST))
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
        var tables = new StringBuilder(ledger.table());
        volume.forEach(each -> tables.append('\n').append(each.table()));
        System.out.println(tables);
        if (REPORT != null) {
            Files.writeString(Path.of(REPORT), tables);
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

    private void steady() throws InterruptedException {
        if (STEADY_SECONDS > 0) {
            ledger.begin("between faults");
            TimeUnit.SECONDS.sleep(STEADY_SECONDS);
            System.out.println(ledger.total() + " acknowledged writes");
        }
    }

    /// Until a request succeeds again.
    private void run(Fault fault, ChaosDeployment deployment, ChaosClient client) throws Exception {
        System.out.println(fault);
        ledger.begin(fault.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        fault.run(deployment);
        deployment.members().awaitHealthy(deployment.driver());
        await().atMost(Duration.ofMinutes(3)).until(() -> client.status("POST", "/probe", "{\"after\": 1}") == 201);
        TimeUnit.SECONDS.sleep(1);
    }
}
