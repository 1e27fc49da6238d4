package org.restheart.perftest.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.listen.Transport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `notifications`: the sixth published test. Documents are posted at a steady rate; every one of n listeners waits for
/// all of their change events.
@Command(
        name = "notifications",
        description = "Published test 6: change-stream notifications to 10 – 25,000 listeners and more.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class NotificationsExperiment implements Callable<Integer> {
    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Option(names = "--listeners", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> listeners = List.of(10, 100, 1000, 10_000);

    @Option(names = "--transport", description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    Transport transport = Transport.websocket;

    @Option(names = "--streams-per-connection", description = "With http2; default ${DEFAULT-VALUE}.")
    int streamsPerConnection = 1000;

    @Option(names = "--gateways", description = "Processes that share the listeners; default ${DEFAULT-VALUE}.")
    int gateways = 1;

    @Option(names = "--rate", description = "Documents posted per second; default ${DEFAULT-VALUE}.")
    double rate = 3;

    @Option(
            names = "--stalled",
            description = "Listeners besides, which connect and never read; default ${DEFAULT-VALUE}.")
    int stalled = 0;

    @Option(
            names = "--patience",
            description =
                    "Seconds without an event after which the rest counts as lost; default " + "${DEFAULT-VALUE}.")
    int patience = 15;

    @Option(
            names = "--connections-per-process",
            description = "Of the listening client: the limit of open files, less a few; default ${DEFAULT-VALUE}.")
    int connectionsPerProcess = 18_500;

    private final List<String> notes = new ArrayList<>();

    public NotificationsExperiment() {
        run.seconds = 60;
        run.warmUp = 0;
        run.repetitions = 1;
    }

    @Override
    public Integer call() throws Exception {
        var publication = new Publication(run, target);
        try (var lab = new Lab(run, target)) {
            var mongo = lab.mongo();
            var journal = new Journal(listeners.size() * run.repetitions, System.out);
            for (var repetition = 1; repetition <= run.repetitions; repetition++) {
                for (var level : listeners) {
                    measure(lab, mongo, level, repetition, journal);
                }
            }
            return publication.publish(
                    "notifications-" + transport,
                    "Do n listeners of a change stream receive every event, in order, and how soon? Documents are posted at "
                            + rate + "/s for " + run.seconds + " s. (Published test 6: 25,000 listeners, 403 ms.)",
                    "listeners",
                    "",
                    Map.of(
                            "MongoDB",
                            mongo.description(),
                            "transport",
                            transport
                                    + (transport == Transport.http2
                                            ? ", " + streamsPerConnection + " per connection"
                                            : ""),
                            "gateway processes",
                            Integer.toString(gateways),
                            "listeners that never read",
                            Integer.toString(stalled)),
                    journal,
                    notes);
        }
    }

    /// Every level has gateways of its own, so that memory per listener can be told.
    private void measure(Lab lab, Mongo mongo, int level, int repetition, Journal journal)
            throws IOException, InterruptedException {
        try (var broadcast = new Broadcast(lab, mongo, gateways, target.credentials)) {
            var outcome = broadcast.run(new Broadcast.Plan(
                    transport,
                    level,
                    transport == Transport.http2 ? streamsPerConnection : 1,
                    stalled,
                    rate,
                    run.seconds,
                    patience,
                    connectionsPerProcess));
            journal.add(outcome.row(transport, level, repetition));
            notes.addAll(outcome.notes(level));
        }
    }
}
