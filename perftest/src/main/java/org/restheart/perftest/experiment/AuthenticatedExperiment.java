package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClients;
import com.mongodb.client.model.ReplaceOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.bson.Document;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `authenticated`: the fifth published test, a small filtered page for a user whose account and permissions are in
/// MongoDB.
@Command(
        name = "authenticated",
        description = "Published test 5: GET of a small page with a regex filter at 128 connections, accounts and "
                + "permissions in MongoDB collections.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class AuthenticatedExperiment implements Callable<Integer> {
    private static final String ACCOUNTS = "accounts";
    private static final String PERMISSIONS = "permissions";
    private static final String READER = "reader:reader-secret";
    private static final String READERS_HASH = "$2a$12$TS.wHyfyWXkFjqTV2H0Pd.y9JqWy4AaH6/bz7cZP/9LzumpaIcAX6";

    @Mixin
    RunOptions run = new RunOptions();

    @Mixin
    TargetOptions target = new TargetOptions();

    @Option(names = "--clients", split = ",", description = "Default ${DEFAULT-VALUE}.")
    List<Integer> clients = List.of(128);

    @Option(
            names = "--driver-sweep",
            split = ",",
            description = "Thread counts among which the driver's best is sought; default ${DEFAULT-VALUE}.")
    List<Integer> sweep = List.of(4, 8, 16, 32);

    @Option(names = "--documents", description = "In the collection; default ${DEFAULT-VALUE}.")
    int documents = 10_000;

    @Option(names = "--text-bytes", description = "Of each document's text; the default makes the page 411 bytes long.")
    int textBytes = 88;

    @Override
    public Integer call() throws Exception {
        var publication = new Publication(run, target);
        try (var lab = new Lab(run, target)) {
            var mongo = lab.mongo();
            var data = lab.keep(new Dataset(mongo));
            var page = new Operation.Matching(data.loaded(documents, textBytes), "group", "^g4[0-9]$", 2);
            writeAccount(mongo);
            var gateway = lab.gateway("gateway", mongo, accountsInMongo()).as(READER);
            lab.verify(gateway, mongo, page);
            var driver = lab.driver(mongo);
            var journal = new Journal(SideBySide.measurements(1, run.repetitions, clients, sweep), System.out);
            new SideBySide(journal, run.repetitions, run.window(), clients, sweep)
                    .compare(() -> page, List.of(gateway), driver);
            return publication.publish(
                    "authenticated",
                    "How fast is a small filtered page read by a user whose account and permissions are in MongoDB? "
                            + "(Published test 5: 8,690/s on 4 cores.)",
                    "clients",
                    "driver",
                    Map.of(
                            "MongoDB",
                            mongo.description(),
                            "documents",
                            documents + " with a text of " + textBytes + " bytes"),
                    journal);
        }
    }

    private static String accountsInMongo() {
        return String.join(
                "; ",
                "/basicAuthMechanism/authenticator -> 'mongoRealmAuthenticator'",
                "/mongoRealmAuthenticator/enabled -> true",
                "/mongoRealmAuthenticator/users-db -> '" + Dataset.DATABASE + "'",
                "/mongoRealmAuthenticator/users-collection -> '" + ACCOUNTS + "'",
                "/mongoAclAuthorizer/enabled -> true",
                "/mongoAclAuthorizer/acl-db -> '" + Dataset.DATABASE + "'",
                "/mongoAclAuthorizer/acl-collection -> '" + PERMISSIONS + "'");
    }

    private static void writeAccount(Mongo mongo) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            var database = client.getDatabase(Dataset.DATABASE);
            var upsert = new ReplaceOptions().upsert(true);
            database.getCollection(ACCOUNTS)
                    .replaceOne(
                            new Document("_id", "reader"),
                            new Document("_id", "reader")
                                    .append("password", READERS_HASH)
                                    .append("roles", List.of("reader")),
                            upsert);
            database.getCollection(PERMISSIONS)
                    .replaceOne(
                            new Document("_id", "readers-read"),
                            new Document("_id", "readers-read")
                                    .append("roles", List.of("reader"))
                                    .append("predicate", "path-prefix('/" + Dataset.DATABASE + "') and method(GET)")
                                    .append("priority", 100),
                            upsert);
        }
    }
}
