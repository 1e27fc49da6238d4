package org.restheart.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.embedded.EmbeddedMongoTest.documents;
import static org.restheart.embedded.EmbeddedMongoTest.insert;

import com.mongodb.MongoException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What ends with what, and what begins anew.
final class EndsOfProcessesTest {
    @TempDir
    Path directory;

    @Test
    void a_mongod_that_dies_is_restarted_with_its_data() {
        try (var mongo = EmbeddedMongo.start(config())) {
            insert(mongo);
            var killed = mongo.child();

            killed.destroyForcibly();

            await().atMost(Duration.ofMinutes(2)).until(() -> mongo.child().pid() != killed.pid());
            await().atMost(Duration.ofMinutes(2))
                    .ignoreExceptionsInstanceOf(MongoException.class)
                    .untilAsserted(() -> assertThat(documents(mongo)).isEqualTo(1));
        }
    }

    @Test
    void a_guard_that_dies_alone_leaves_no_mongod_behind() {
        try (var mongo = EmbeddedMongo.start(config())) {
            var child = mongo.child();

            child.parent().orElseThrow().destroyForcibly();

            await().atMost(Duration.ofMinutes(2)).until(() -> !child.isAlive());
            await().atMost(Duration.ofMinutes(2)).until(() -> mongo.child().isAlive());
        }
    }

    @Test
    void close_ends_the_child() {
        var mongo = EmbeddedMongo.start(config());
        var child = mongo.child();

        mongo.close();

        assertThat(child.isAlive()).isFalse();
    }

    @Test
    void the_child_ends_when_its_parent_is_killed() throws IOException {
        var parent = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Parent.class.getName(),
                        directory.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long child;
        try (var output = parent.inputReader()) {
            child = output.lines()
                    .filter(line -> line.startsWith("child "))
                    .mapToLong(line -> Long.parseLong(line.substring("child ".length())))
                    .findFirst()
                    .orElseThrow();
            assertThat(ProcessHandle.of(child)).isPresent();

            parent.destroyForcibly();

            await().atMost(Duration.ofMinutes(2))
                    .until(() -> ProcessHandle.of(child).isEmpty());
        }
    }

    /// A process that starts a mongod and then waits to be killed.
    static final class Parent {
        private Parent() {}

        public static void main(String[] args) throws InterruptedException {
            var mongo = EmbeddedMongo.start(EmbeddedMongoConfig.in(Path.of(args[0])));
            System.out.println("child " + mongo.child().pid());
            Thread.currentThread().join();
        }
    }

    private EmbeddedMongoConfig config() {
        return EmbeddedMongoConfig.in(directory);
    }
}
