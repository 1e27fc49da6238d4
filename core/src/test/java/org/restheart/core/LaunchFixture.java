package org.restheart.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.Launch.Outcome;
import org.restheart.testkit.OwnMongod;
import org.restheart.testkit.Patience;

/// A command line in a folder of its own, with its output.
abstract class LaunchFixture {
    private static final String DIRECT = "/?directConnection=true&serverSelectionTimeoutMS=60000";

    @TempDir
    Path folder;

    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /// Besides RHO.
    Map<String, String> environment = Map.of();

    final Outcome launch(String rho, String... args) {
        var variables = new HashMap<>(environment);
        variables.put("RHO", rho);
        return new Launch(
                        variables,
                        folder,
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        Instant.now())
                .run(args);
    }

    final int exitCode(String rho, String... args) {
        return switch (launch(rho, args)) {
            case Outcome.Done(int exitCode) -> exitCode;
            case Outcome.Running(var server) -> {
                server.close();
                throw new AssertionError("the server has started");
            }
        };
    }

    /// A replica set of one member, with the account `root` and its name as password.
    final OwnMongod launchWithAccounts() throws IOException {
        var key = Files.createFile(
                folder.resolve("key"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(key, "ofTheMembersOfThisTest");
        var data = Files.createDirectory(folder.resolve("data"));
        var options = new ArrayList<>(List.of("--replSet", "own", "--oplogSize", "64", "--keyFile", key.toString()));
        // each connection of a client computes as many hashes as these: the fewest that MongoDB takes
        options.addAll(List.of("--setParameter", "scramSHA256IterationCount=5000"));
        options.addAll(List.of("--setParameter", "scramIterationCount=5000"));
        var mongod = OwnMongod.launch(data, options.toArray(String[]::new));
        var host = "127.0.0.1:" + mongod.port();
        try (var client = MongoClients.create("mongodb://" + host + DIRECT)) {
            admin(client, "{replSetInitiate: {_id: 'own', members: [{_id: 0, host: '%s'}]}}".formatted(host));
            Patience.within(Duration.ofSeconds(40))
                    .until(() -> admin(client, "{hello: 1}")
                            .getBoolean("isWritablePrimary")
                            .getValue());
            admin(client, "{createUser: 'root', pwd: 'root', roles: ['root']}");
        }
        return mongod;
    }

    static MongoClient rootOf(OwnMongod mongod) {
        return MongoClients.create("mongodb://root:root@127.0.0.1:" + mongod.port() + DIRECT);
    }

    static BsonDocument admin(MongoClient client, String command) {
        return client.getDatabase("admin").runCommand(BsonDocument.parse(command), BsonDocument.class);
    }

    final String out() {
        return out.toString(UTF_8);
    }

    final String err() {
        return err.toString(UTF_8);
    }

    final Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }
}
