package org.restheart.perftest.experiment;

import java.util.List;
import java.util.Map;
import org.restheart.perftest.report.Ratios;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `authenticated`: the fifth published test, a small filtered page for a user whose account and permissions are in
/// MongoDB; and the same page for anonymous callers, to see what the account costs.
@Command(
        name = "authenticated",
        description = "Published test 5: GET of a small page with a regex filter at 128 connections, accounts and "
                + "permissions in MongoDB collections; beside the same page without an account.",
        footer = "Takes three minutes.")
public final class AuthenticatedExperiment extends Experiment {
    private static final String ACCOUNT = "gateway, account in MongoDB";
    private static final String ANYBODY = "gateway, anybody";

    @Mixin
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(128), List.of(8, 32));

    /// These make the page 412 bytes long; the published one had 411.
    @Mixin
    Dataset.DocumentOptions documents = new Dataset.DocumentOptions(10_000, 73);

    @Override
    Findings measure(TestBed bed) throws Exception {
        var mongo = bed.mongo();
        var data = bed.keep(new Dataset(mongo));
        var page = new Operation.Matching(data.loaded(documents), "group", "^g4[0-9]$", 2);
        AccountFixture.write(mongo, true);
        var account =
                bed.gateway(ACCOUNT, mongo, AccountFixture.configuration()).as(ACCOUNT, AccountFixture.READER);
        var anybody = account.as(ANYBODY, "");
        bed.verify(account, mongo, page);
        bed.verify(anybody, mongo, page);
        var sideBySide = SideBySide.of(run, run.window(), clients, 1, 2);
        sideBySide.compare(() -> page, List.of(account, anybody), bed.driver(mongo));
        var ratio = Ratios.cpu(sideBySide.journal().rows(), "gateway", ACCOUNT, ANYBODY);
        System.out.println(ratio);
        return Findings.besideDriver(
                        "authenticated",
                        "How fast is a small filtered page read by a user whose account and permissions are in MongoDB, "
                                + "and what of it is the account's price? (Published test 5: 8,690/s on 4 cores.)",
                        Map.of(
                                "gateway's configuration",
                                "accounts and permissions in MongoDB; else " + target.configuration(),
                                "documents",
                                documents.description()),
                        sideBySide.journal())
                .with(List.of(ratio, "Both subjects are one gateway process, asked in turn."));
    }
}
