package org.restheart.perftest.experiment;

import java.util.List;
import java.util.Map;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `files`: uploads and downloads beside the driver's GridFS.
@Command(
        name = "files",
        description = "Uploads and downloads of files, beside the driver's GridFS.",
        footer = "Takes six minutes.")
public final class FilesExperiment extends Experiment {
    @Option(names = "--megabytes", description = "Of each file, in MiB; default ${DEFAULT-VALUE}.")
    int megabytes = 4;

    @Option(
            names = "--files",
            description = "The gateway keeps content that is downloaded again and again: besides the same file each"
                    + " time, one of so many is downloaded; default ${DEFAULT-VALUE}.")
    int files = 200;

    @Mixin
    ClientOptions clients = new ClientOptions(List.of(1, 4), List.of());

    @Override
    Findings measure(Lab lab) throws Exception {
        int bytes = megabytes << 20;
        var mongo = lab.mongo();
        var buckets = lab.keep(new Buckets(mongo));
        var bucket = buckets.withFiles(files, bytes);
        var download = new Operation.Download(bucket, 1);
        var gateway = lab.gateway("gateway", mongo, "");
        lab.verify(gateway, mongo, download, new Operation.Upload(buckets.fresh(), bytes));
        var sideBySide = SideBySide.of(run, run.window(), clients, 2, 1);
        sideBySide.journal().auditedBy(buckets.stored());
        var driver = lab.driver(mongo);
        sideBySide.compare(() -> download, List.of(gateway), driver);
        if (files > 1) {
            sideBySide.compare(() -> new Operation.Download(bucket, files), List.of(gateway), driver);
        }
        sideBySide.compare(() -> new Operation.Upload(buckets.fresh(), bytes), List.of(gateway), driver);
        return Findings.besideDriver(
                "files",
                "How fast are files of " + megabytes + " MiB stored and read, one per request?",
                Map.of("MongoDB", mongo.description(), "file", megabytes + " MiB"),
                sideBySide.journal());
    }
}
