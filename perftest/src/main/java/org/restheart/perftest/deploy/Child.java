package org.restheart.perftest.deploy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Child processes on this machine: how they are started and ended, and how they end with their parent.
public final class Child {
    private Child() {}

    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /// A command of this program as a process of its own; it shares this process's standard error.
    public static Process ofThisProgram(List<String> jvmOptions, List<String> arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(java());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.restheart.perftest.Main"));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /// Runs a program to its end, and shows what it says.
    ///
    /// @param failure says what has failed; a status is appended
    static void run(Path folder, List<String> command, String failure) throws IOException, InterruptedException {
        System.out.println(String.join(" ", command));
        var status = new ProcessBuilder(command)
                .directory(folder.toFile())
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException(failure + ": status " + status);
        }
    }

    /// What a program says; empty if it fails, or is not there.
    static Optional<String> output(String... command) throws InterruptedException {
        try {
            var process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? Optional.of(output.strip()) : Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    /// Ends this process when its parent closes its standard input, from now on; for processes with something else to
    /// do meanwhile.
    public static void endWithParent() {
        Thread.ofPlatform().daemon().name("end-with-parent").start(() -> {
            awaitEndOfInput();
            Runtime.getRuntime().halt(1);
        });
    }

    static void awaitEndOfInput() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Asks the process to end, and makes it after ten seconds.
    public static void stop(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
