package org.restheart.perftest.experiment;

import java.util.List;
import java.util.Map;
import org.restheart.perftest.load.Pace;
import org.restheart.perftest.report.Row;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `logins`: how others fare while somebody tries passwords, each of which costs the gateway a bcrypt hash.
@Command(
        name = "logins",
        description = "Pings at a constant rate while so many clients log in with wrong passwords, as fast as they are "
                + "refused.")
public final class LoginsExperiment extends Experiment {
    private static final Operation PING = new Operation.Ping(new Namespace(Dataset.DATABASE, "none"));

    @Option(names = "--logins", split = ",", description = "Parallel bad logins; default ${DEFAULT-VALUE}.")
    List<Integer> logins = List.of(0, 500);

    @Option(names = "--rate", description = "Pings per second, open loop; default ${DEFAULT-VALUE}.")
    double rate = 200;

    @Option(names = "--ping-connections", description = "Default ${DEFAULT-VALUE}.")
    int connections = 16;

    @Override
    Findings measure(Lab lab) throws Exception {
        var mongo = lab.mongo();
        MongoAccounts.write(mongo);
        var gateway =
                lab.gateway("gateway", mongo, MongoAccounts.configuration()).as("gateway", "");
        lab.verify(gateway, mongo, PING);
        var journal = run.journal(logins.size() * run.repetitions);
        var answers = new BadLogins.Answers();
        for (var repetition = 1; repetition <= run.repetitions; repetition++) {
            for (var level : logins) {
                try (var _ = BadLogins.start(gateway.dialect().port(), level, answers)) {
                    var window = journal.warmedUp(gateway.name(), "ping", run.window());
                    var measured = gateway.measure(PING, connections, new Pace.Open(rate), window);
                    journal.add(new Row("ping", gateway.name(), level, repetition, measured));
                }
            }
        }
        return new Findings(
                "logins",
                "How long do pings take while others log in with wrong passwords? " + rate
                        + " pings are due each second.",
                "bad logins",
                "gateway",
                Map.of("MongoDB", mongo.description(), "passwords", "bcrypt of cost 12, in a collection"),
                journal,
                List.of("The bad logins were answered with " + answers + "."));
    }
}
