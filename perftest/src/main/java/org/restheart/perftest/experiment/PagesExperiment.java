package org.restheart.perftest.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.workload.Namespace;
import picocli.CommandLine.Mixin;

/// An experiment about deep pages of one large collection, read from the gateway and from the driver.
abstract class PagesExperiment implements Callable<Integer> {
    /// Documents of a page.
    static final int LIMIT = 5;

    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Mixin
    DocumentOptions documents = new DocumentOptions(2_500_000, 60);

    /// Published with the measurements.
    final List<String> notes = new ArrayList<>();

    /// @param namespace the loaded collection
    record Setting(
            Publication publication, Lab lab, Mongo mongo, Namespace namespace, HttpSubject gateway, Subject driver) {}

    @Override
    public Integer call() throws Exception {
        var publication = new Publication(run, target);
        try (var lab = new Lab(run, target)) {
            var mongo = lab.mongo();
            var data = lab.keep(new Dataset(mongo));
            var namespace = data.loaded(documents.documents, documents.textBytes);
            var gateway = lab.gateway("gateway", mongo, "");
            return measure(new Setting(publication, lab, mongo, namespace, gateway, lab.driver(mongo)));
        }
    }

    /// Measures, and publishes what was measured.
    ///
    /// @return the exit code
    abstract Integer measure(Setting setting) throws Exception;
}
