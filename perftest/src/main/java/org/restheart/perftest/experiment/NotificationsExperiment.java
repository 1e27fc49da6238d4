package org.restheart.perftest.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.listen.ListenOrder.ListenTransport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `notifications`: the sixth published test. Documents are posted at a steady rate; every one of n listeners waits for
/// all of their change events.
@Command(
        name = "notifications",
        description = "Published test 6: change-stream notifications to 10 – 25,000 listeners and more.",
        footer = {
            "",
            "Takes one to two minutes per level. The published test, larger ones, and what they need to be fair:",
            "  perftest/run notifications --listeners 10,100,1000,10000,18000",
            "  perftest/run notifications --listeners 25000 --gateways 2",
            "  perftest/run notifications --listeners 50000 --gateways 3",
            "  perftest/run notifications --listeners 50000 --transport http2",
            "A listener that never reads, beside those that do; memory of listeners to whom nothing happens:",
            "  perftest/run notifications --listeners 10000 --stalled 0,1 --padding 1000",
            "  perftest/run notifications --listeners 10000 --seconds 0"
        })
public final class NotificationsExperiment extends Experiment {
    @Option(names = "--listeners", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> listeners = List.of(10, 100, 1000, 10_000);

    @Option(names = "--transport", description = "One of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    ListenTransport transport = ListenTransport.websocket;

    @Option(names = "--streams-per-connection", description = "With http2; default ${DEFAULT-VALUE}.")
    int streamsPerConnection = 1000;

    @Option(names = "--gateways", description = "Processes that share the listeners; default ${DEFAULT-VALUE}.")
    int gateways = 1;

    @Option(names = "--rate", description = "Documents posted per second; default ${DEFAULT-VALUE}.")
    double rate = 3;

    @Option(
            names = "--stalled",
            split = ",",
            description = "Listeners besides, which connect and never read; several numbers are compared; default "
                    + "${DEFAULT-VALUE}.")
    List<Integer> stalled = List.of(0);

    @Option(
            names = "--padding",
            description = "Bytes by which documents are larger than they need to be, such as 1000 to stall who does "
                    + "not read; default ${DEFAULT-VALUE}.")
    int padding = 0;

    @Option(
            names = "--timeout",
            description =
                    "Seconds without an event after which the rest counts as lost; default " + "${DEFAULT-VALUE}.")
    int timeout = 15;

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
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var journal = run.journal(listeners.size() * stalled.size() * run.repetitions);
        for (var repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var level : listeners) {
                for (var idle : stalled) {
                    measure(bed, mongo, level, idle, repetition, journal);
                }
            }
        }
        return new Findings(
                name(),
                "Do n listeners of a change stream receive every event, in order, and how soon? Documents are posted"
                        + " at "
                        + rate + "/s for " + run.seconds + " s. (Published test 6: 25,000 listeners, 403 ms.)",
                "listeners",
                "",
                Map.of(
                        "load client",
                        "one that posts documents at " + rate + "/s, and processes that listen",
                        "transport",
                        transport
                                + (transport == ListenTransport.http2
                                        ? ", " + streamsPerConnection + " per connection"
                                        : ""),
                        "gateway processes",
                        Integer.toString(gateways),
                        "listeners that never read",
                        stalled.toString(),
                        "padding of documents",
                        padding + " bytes"),
                journal,
                notes);
    }

    /// Distinguishes the results of one commit.
    private String name() {
        return "notifications-" + transport
                + (gateways > 1 ? "-" + gateways + "-gateways" : "")
                + (stalled.equals(List.of(0)) ? "" : "-stalled")
                + (run.seconds == 0 ? "-idle" : "");
    }

    /// Every level has gateways of its own, so that memory per listener can be told.
    private void measure(TestBed bed, Mongo mongo, int level, int stalled, int repetition, Journal journal)
            throws IOException, InterruptedException {
        try (var broadcast = new Broadcast(bed, mongo, gateways, target.credentials)) {
            var outcome = broadcast.run(new Broadcast.Plan(
                    transport,
                    level,
                    transport == ListenTransport.http2 ? streamsPerConnection : 1,
                    stalled,
                    padding,
                    rate,
                    run.seconds,
                    timeout,
                    connectionsPerProcess));
            journal.add(outcome.row(transport, level, repetition));
            notes.addAll(outcome.notes(level));
        }
    }
}
