package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.gridfs.GridFSBuckets;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonString;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.experiment.Journal.Audit;
import org.restheart.perftest.workload.Namespace;
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
    SideBySide.ClientOptions clients = new SideBySide.ClientOptions(List.of(1, 4), List.of());

    @Override
    Findings measure(TestBed bed) throws Exception {
        int bytes = megabytes << 20;
        var mongo = bed.mongo();
        var buckets = bed.keep(new Buckets(mongo));
        var bucket = buckets.withFiles(files, bytes);
        var download = new Operation.Download(bucket, 1);
        var gateway = bed.gateway("gateway", mongo, "");
        bed.verify(gateway, mongo, download, new Operation.Upload(buckets.fresh(), bytes));
        var sideBySide = SideBySide.of(run, run.window(), clients, 2, 1);
        sideBySide.journal().auditedBy(buckets.stored());
        var driver = bed.driver(mongo);
        sideBySide.compare(() -> download, List.of(gateway), driver);
        if (files > 1) {
            sideBySide.compare(() -> new Operation.Download(bucket, files), List.of(gateway), driver);
        }
        sideBySide.compare(() -> new Operation.Upload(buckets.fresh(), bytes), List.of(gateway), driver);
        return Findings.besideDriver(
                "files",
                "How fast are files of " + megabytes + " MiB stored and read, one per request?",
                Map.of("file", megabytes + " MiB"),
                sideBySide.journal());
    }

    /// The buckets of files that are written and read, removed at the end.
    private static final class Buckets implements Closeable {
        private final MongoClient client;
        private final MongoDatabase database;
        private final List<Namespace> made = new ArrayList<>();

        Buckets(Mongo mongo) {
            client = MongoClients.create(mongo.connectionString());
            database = client.getDatabase(Dataset.DATABASE);
        }

        /// An empty bucket. Those handed out before are removed, but for the one with files to read.
        Namespace fresh() {
            made.stream().skip(1).forEach(this::drop);
            return bucket();
        }

        /// A bucket with files `f0`, `f1` … of so many bytes; asked for first.
        Namespace withFiles(int files, int bytes) {
            var bucket = bucket();
            var gridFs = GridFSBuckets.create(database, bucket.bucket());
            for (int n = 0; n < files; n++) {
                gridFs.uploadFromStream(new BsonString("f" + n), "f", new ByteArrayInputStream(new byte[bytes]));
            }
            return bucket;
        }

        private Namespace bucket() {
            var bucket = new Namespace(Dataset.DATABASE, "b" + new ObjectId().toHexString() + Namespace.FILES);
            database.createCollection(bucket.collection());
            made.add(bucket);
            return bucket;
        }

        /// Every file that was acknowledged has to be there, whole.
        Audit stored() {
            return (operation, measurement) -> {
                if (operation instanceof Operation.Upload(var bucket, var bytes)) {
                    var whole =
                            database.getCollection(bucket.collection()).countDocuments(new Document("length", bytes));
                    if (whole < measurement.operations()) {
                        throw new IOException(
                                measurement.operations() + " files were acknowledged, but there are " + whole);
                    }
                }
            };
        }

        private void drop(Namespace bucket) {
            database.getCollection(bucket.collection()).drop();
            database.getCollection(bucket.bucket() + ".chunks").drop();
        }

        @Override
        public void close() {
            made.forEach(this::drop);
            client.close();
        }
    }
}
