package org.restheart.perftest.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.restheart.perftest.report.Ratios;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `rules`: what an access rule costs. Two accounts read the same documents; the permission of one filters documents
/// by a property of the account, and hides a field. The filter admits all documents, so that both have the same
/// results.
@Command(
        name = "rules",
        description = "Reads by id, a page, and a page by a regular expression: by an account whose permission filters "
                + "documents and hides a field, beside one whose permission does neither.",
        footer = "Takes four minutes.")
public final class RulesExperiment extends Experiment {
    private static final String FREE = "without a rule";
    private static final String RULED = "with a rule";

    @Mixin
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(1, 128), List.of());

    @Mixin
    Dataset.DocumentOptions documents = new Dataset.DocumentOptions(10_000, 150);

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var namespace = bed.keep(new Dataset(mongo)).loaded(documents);
        var operations = List.of(
                new Operation.FindById(namespace, documents.documents),
                new Operation.Page(namespace, 25, 5),
                new Operation.Matching(namespace, "group", "^g4[0-9]$", 5));
        AccountFixture.write(mongo, false);
        var free = bed.gateway(FREE, mongo, AccountFixture.configuration()).as(FREE, AccountFixture.READER);
        var ruled = free.as(RULED, AccountFixture.RULED);
        var journal = run.journal(operations.size() * clients.clients.size() * 2 * run.repetitions);
        for (var operation : operations) {
            bed.verify(free, mongo, operation);
            bed.verify(ruled, mongo, operation);
            for (int repetition = 1; repetition <= run.repetitions; repetition++) {
                for (int level : clients.clients) {
                    journal.measure(free, operation, level, repetition, run.window());
                    journal.measure(ruled, operation, level, repetition, run.window());
                }
            }
        }
        var notes = new ArrayList<>(Ratios.cpuPerLevel(journal.rows(), "gateway", RULED, FREE));
        notes.addAll(Ratios.cpuPerLevel(journal.rows(), "mongod", RULED, FREE));
        notes.add("Both subjects are one gateway process, asked in turn.");
        return new Findings(
                "rules",
                "What do access rules cost? The same documents, by an account whose permission has a filter and hides "
                        + "a field, and by one whose permission has neither.",
                "clients",
                FREE,
                Map.of(
                        "gateway's configuration",
                        "accounts and permissions in MongoDB; else " + target.configuration(),
                        "rule",
                        "readFilter {group: {$gte: '@user.from'}}, which all documents meet; projectResponse {secret: 0}",
                        "documents",
                        documents.description()),
                journal,
                notes);
    }
}
