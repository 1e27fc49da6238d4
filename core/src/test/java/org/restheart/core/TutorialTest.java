package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.Shell;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Runs the commands of docs/tutorial.md, in order, and checks what the page says they print, where queries that no
/// index serves are refused: those of the tutorial have indexes.
@WithMongo
class TutorialTest {
    private static final Path PAGE = Path.of("../docs/tutorial.md");
    private static final Pattern COMMANDS =
            Pattern.compile("```sh\\n(.*?)```(?:\\n<!-- prints (.*?) -->)?", Pattern.DOTALL);

    private static final Pattern WRITES = Pattern.compile("-X |-F ");

    private final TestMongo mongo;

    @TempDir
    Path folder;

    TutorialTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    private record Block(String commands, String prints) {
        static List<Block> all() throws IOException {
            var blocks = new ArrayList<Block>();
            var matcher = COMMANDS.matcher(Files.readString(PAGE));
            while (matcher.find()) {
                blocks.add(new Block(matcher.group(1), matcher.group(2) == null ? "" : matcher.group(2)));
            }
            return blocks;
        }

        boolean isQuery() {
            boolean asks = commands.contains("filter=") || commands.contains("_aggrs/") || commands.contains("{ best(");
            return asks
                    && !commands.contains("explain")
                    && !WRITES.matcher(commands).find();
        }
    }

    @TestFactory
    List<DynamicTest> the_tutorial_says_what_happens() throws IOException {
        assumeTrue(isInstalled("npm"), "the tutorial fetches its data with npm, which is not on the PATH");
        var config = GatewayConfig.parse(
                """
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: "$uri"}
                mongo: {mongo-mounts: [{what: /$db, where: /}], require-index: refuse, require-index-above: 20}
                basicAuthMechanism: {enabled: true}
                graphql: {db: $db, collection: gql-apps}
                imports: {db: $db}
                mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4}
                mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
                """.replace("$uri", mongo.connectionString()).replace("$db", mongo.databaseName()));
        var blocks = Block.all();
        assertThat(blocks).hasSizeGreaterThan(10);
        makeIndexes();
        var gateway = Gateway.start(config);
        var tests = new ArrayList<DynamicTest>();
        for (var block : blocks) {
            if (block == blocks.getLast()) { // it deletes what there is
                tests.add(DynamicTest.dynamicTest("plans are kept", () -> assertPlansAreKept(blocks, gateway)));
            }
            var name = block.commands().lines().findFirst().orElse("");
            tests.add(DynamicTest.dynamicTest(name, () -> run(block, gateway)));
        }
        tests.add(DynamicTest.dynamicTest("stop", gateway::close));
        return tests;
    }

    /// What the tutorial makes later, and what refusals of its other queries name.
    private void makeIndexes() {
        var movies = mongo.database().getCollection("movies");
        movies.createIndex(Indexes.ascending("Director"), new IndexOptions().name("by-director"));
        movies.createIndex(Indexes.descending("IMDB Rating", "IMDB Votes"));
        movies.createIndex(Indexes.ascending("_id", "Title"));
    }

    /// MongoDB is asked for the plan of a query once.
    private void assertPlansAreKept(List<Block> blocks, Gateway gateway) throws Exception {
        var queries = blocks.stream().filter(Block::isQuery).toList();
        assertThat(queries).hasSizeGreaterThan(5);
        var again = new ArrayList<Block>(queries);
        again.addAll(queries);
        var asked = TestMongo.profiled(mongo.database(), "{'command.explain': {$exists: true}}", () -> {
            for (var query : again) {
                run(query, gateway);
            }
        });
        assertThat(asked).isNotEmpty().hasSizeLessThanOrEqualTo(queries.size());
    }

    private void run(Block block, Gateway gateway) throws IOException, InterruptedException {
        var commands = block.commands()
                .replace("localhost:8080", "127.0.0.1:" + gateway.address().getPort())
                .replace("\"db\": \"restheart\"", "\"db\": \"" + mongo.databaseName() + "\"");
        assertThat(Shell.run(folder, commands)).contains(block.prints());
    }

    private static boolean isInstalled(String command) throws IOException {
        try {
            return new ProcessBuilder("bash", "-c", "command -v " + command)
                            .start()
                            .waitFor()
                    == 0;
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
