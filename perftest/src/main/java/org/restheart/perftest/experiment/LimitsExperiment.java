package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `limits`: rate and latency with more clients, larger documents and a slower MongoDB.
@Command(
        name = "limits",
        description =
                "Reads by id and inserts with more and more clients, larger and larger documents, and a MongoDB that "
                        + "takes longer and longer for each command.",
        footer = "Takes seven minutes.")
public final class LimitsExperiment extends Experiment {
    private static final int TEXT = 150;

    /// So that the documents of all sizes are in MongoDB's cache.
    private static final int BYTES_TO_READ_FROM = 64_000_000;

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(1, 4, 16, 64, 256, 1_024, 4_096, 16_384);

    @Option(
            names = "--sizes",
            split = ",",
            description = "Of the text in each document, in bytes; default ${DEFAULT-VALUE}.")
    List<Integer> sizes = List.of(100, 1_000, 10_000, 100_000, 1_000_000, 15_000_000);

    @Option(names = "--clients-of-sizes", description = "Of documents of each size; default ${DEFAULT-VALUE}.")
    int clientsOfSizes = 8;

    @Option(
            names = "--delays",
            split = ",",
            description = "Milliseconds that MongoDB waits before each find and insert; default ${DEFAULT-VALUE}.")
    List<Integer> delays = List.of(0, 5, 20, 100, 500);

    @Option(names = "--clients-of-delays", description = "While MongoDB waits; default ${DEFAULT-VALUE}.")
    int clientsOfDelays = 1_024;

    public LimitsExperiment() {
        run.repetitions = 1;
        run.firstWarmUp = 20;
    }

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo("enableTestCommands=1");
        var data = bed.keep(new Dataset(mongo));
        var delayed = bed.keep(new DelayedCommands(mongo));
        var gateway = bed.gateway("gateway", mongo, "");
        var journal = run.journal(run.repetitions * 2 * (clients.size() + sizes.size() + delays.size()));
        for (int repetition = 1; repetition <= run.repetitions; repetition++) {
            var round = new Round(gateway, data, journal, run, repetition);
            for (var number : clients) {
                round.measure("clients", number, TEXT, number);
            }
            for (var size : sizes) {
                round.measure("bytes of text", size, size, clientsOfSizes);
            }
            for (var delay : delays) {
                delayed.by(delay);
                round.measure("ms of delay", delay, TEXT, clientsOfDelays);
            }
            delayed.by(0);
        }
        return new Findings(
                "limits",
                "Where does it break? Reads by id and single inserts, w:majority: with more clients (a text of " + TEXT
                        + " bytes in each document), with larger documents (" + clientsOfSizes
                        + " clients), and with a MongoDB that waits before each command (" + clientsOfDelays
                        + " clients).",
                "clients, bytes or ms",
                "",
                Map.of(),
                journal,
                List.of());
    }

    /// One repetition of everything.
    private record Round(HttpSubject gateway, Dataset data, Journal journal, RunOptions run, int repetition) {

        /// @param varied what the level counts
        void measure(String varied, int level, int textBytes, int clients) throws IOException {
            int documents = Math.clamp(BYTES_TO_READ_FROM / textBytes, 4, 10_000);
            var read = new Operation.FindById(data.loaded(documents, textBytes), documents);
            measure(read, varied, level, clients);
            measure(new Operation.Insert(data.fresh(), 1, textBytes), varied, level, clients);
        }

        private void measure(Operation operation, String varied, int level, int clients) throws IOException {
            var window = journal.warmedUp(gateway.name(), operation.label(), run.window());
            var measured = gateway.measure(operation, clients, window);
            data.inserted().check(operation, measured);
            journal.add(new Row(operation.label() + ", " + varied, gateway.name(), level, repetition, measured));
        }
    }

    /// Makes MongoDB wait before each `find` and `insert`, by the fail point `failCommand`. Needs a mongod that was
    /// started with `enableTestCommands=1`.
    private static final class DelayedCommands implements Closeable {
        private final MongoClient client;
        private boolean delayed;

        DelayedCommands(Mongo mongo) {
            client = MongoClients.create(mongo.connectionString());
        }

        /// @param millis 0 ends it
        /// @throws com.mongodb.MongoCommandException when this MongoDB has no fail points
        void by(int millis) {
            if (millis == 0) {
                off();
                return;
            }
            delayed = true;
            configure(
                    "alwaysOn",
                    new Document("failCommands", List.of("find", "insert"))
                            .append("blockConnection", true)
                            .append("blockTimeMS", millis));
        }

        private void off() {
            if (delayed) {
                configure("off", new Document());
                delayed = false;
            }
        }

        private void configure(String mode, Document data) {
            client.getDatabase("admin")
                    .runCommand(new Document("configureFailPoint", "failCommand")
                            .append("mode", mode)
                            .append("data", data));
        }

        @Override
        public void close() {
            off();
            client.close();
        }
    }
}
