package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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

/// Runs the commands of docs/tutorial.md, in order, and checks what the page says they print.
@WithMongo
class TutorialTest {
    private static final Path PAGE = Path.of("../docs/tutorial.md");
    private static final Pattern COMMANDS =
            Pattern.compile("```sh\\n(.*?)```(?:\\n<!-- prints (.*?) -->)?", Pattern.DOTALL);

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
    }

    @TestFactory
    List<DynamicTest> the_tutorial_says_what_happens() throws IOException {
        assumeTrue(isInstalled("npm"), "the tutorial fetches its data with npm, which is not on the PATH");
        var config = GatewayConfig.parse(
                """
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: "$uri"}
                mongo: {mongo-mounts: [{what: /$db, where: /}]}
                basicAuthMechanism: {enabled: true}
                graphql: {db: $db, collection: gql-apps}
                imports: {db: $db}
                mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4}
                mongoAclAuthorizer: {acl-db: $db, acl-collection: acl, root-role: admin}
                """.replace("$uri", mongo.connectionString()).replace("$db", mongo.databaseName()));
        var blocks = Block.all();
        assertThat(blocks).hasSizeGreaterThan(10);
        var gateway = Gateway.start(config);
        var tests = new ArrayList<DynamicTest>();
        for (var block : blocks) {
            var name = block.commands().lines().findFirst().orElse("");
            tests.add(DynamicTest.dynamicTest(name, () -> run(block, gateway)));
        }
        tests.add(DynamicTest.dynamicTest("stop", gateway::close));
        return tests;
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
