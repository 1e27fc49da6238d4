package org.restheart.perftest.deploy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/// Gateways of other commits, built in a git worktree of their own and kept.
///
/// @param folder where jars are kept, by commit
public record Build(Path folder) {
    private static final String JAR = "core/target/restheart.jar";

    /// The full name of a commit.
    ///
    /// @throws IOException when git has no such commit
    public static String resolve(String commit) throws IOException, InterruptedException {
        var process = new ProcessBuilder("git", "rev-parse", "--verify", "--end-of-options", commit + "^{commit}")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var name = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw new IOException("no such commit: " + commit);
        }
        return name;
    }

    /// The jar of a commit; builds it unless that was done before.
    ///
    /// @param commit its full name
    public Path jar(String commit) throws IOException, InterruptedException {
        var jar = folder.toAbsolutePath().resolve(commit + ".jar");
        if (Files.exists(jar)) {
            return jar;
        }
        Files.createDirectories(folder);
        var tree = folder.toAbsolutePath().resolve("worktree-" + commit);
        run(Path.of("."), List.of("git", "worktree", "add", "--force", "--detach", tree.toString(), commit));
        try {
            run(tree, List.of("mvn", "-q", "-B", "-Pfast", "-pl", "core", "-am", "-DskipTests", "package"));
            Files.move(tree.resolve(JAR), jar, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            run(Path.of("."), List.of("git", "worktree", "remove", "--force", tree.toString()));
        }
        return jar;
    }

    private static void run(Path folder, List<String> command) throws IOException, InterruptedException {
        System.out.println(String.join(" ", command));
        var status = new ProcessBuilder(command)
                .directory(folder.toFile())
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("failed with status " + status + ": " + String.join(" ", command));
        }
    }
}
