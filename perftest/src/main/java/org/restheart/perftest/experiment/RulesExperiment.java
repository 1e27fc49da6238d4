package org.restheart.perftest.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.report.Ratios;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `rules`: what an account costs, and what an access rule. The filter of the rule admits all documents, so that all
/// have the same results.
@Command(
        name = "rules",
        description = "Reads by id, a page, and a page by a regular expression (published test 5): by an account in"
                + " MongoDB whose permission filters documents and hides a field, by one whose permission does neither,"
                + " and by anybody.",
        footer = "Takes six minutes.")
public final class RulesExperiment extends Experiment {
    private static final String ANYBODY = "anybody";
    private static final String FREE = "account without a rule";
    private static final String RULED = "account with a rule";

    @Mixin
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(1, 128), List.of(8, 32));

    /// A text of 73 bytes makes the page of the published test 412 bytes long, which had 411.
    @Mixin
    Dataset.DocumentOptions documents = new Dataset.DocumentOptions(10_000, 73);

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var namespace = bed.keep(new Dataset(mongo)).loaded(documents);
        AccountFixture.write(mongo);
        var free = bed.gateway(FREE, mongo, AccountFixture.configuration()).as(FREE, AccountFixture.READER);
        var subjects = List.of(free, free.as(RULED, AccountFixture.RULED), free.as(ANYBODY, ""));
        var operations = List.of(
                new Operation.Matching(namespace, "group", "^g4[0-9]$", 2),
                new Operation.FindById(namespace, documents.documents),
                new Operation.Page(namespace, 25, 5));
        var sideBySide = SideBySide.of(run, clients, operations.size(), subjects.size());
        var driver = bed.driver(mongo);
        for (var operation : operations) {
            for (var subject : subjects) {
                bed.verify(subject, mongo, operation);
            }
            sideBySide.compare(() -> operation, subjects, driver);
        }
        var rows = sideBySide.journal().rows();
        var notes = new ArrayList<String>();
        for (var process : List.of("gateway", "mongod")) {
            notes.addAll(Ratios.cpuPerLevel(rows, process, RULED, FREE));
            notes.addAll(Ratios.cpuPerLevel(rows, process, FREE, ANYBODY));
        }
        notes.add("All subjects but the driver are one gateway process, asked in turn.");
        return new Findings(
                "rules",
                "What does an account in MongoDB cost, and what an access rule? (Published test 5: 8,690/s on 4"
                        + " cores.)",
                "clients",
                "driver",
                Map.of(
                        "gateway's configuration",
                        "accounts and permissions in MongoDB; else " + target.configuration(),
                        "rule",
                        "readFilter {group: {$gte: '@user.from'}}, which all documents meet; projectResponse {secret:"
                                + " 0}",
                        "documents",
                        documents.description()),
                sideBySide.journal(),
                notes);
    }
}
