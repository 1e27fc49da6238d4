package org.restheart.perftest.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/// Gateways of other commits, built in a git worktree of their own and kept.
///
/// @param folder where jars are kept, by commit
public record Build(Path folder) {
    private static final String JAR = "core/target/restheart.jar";
    private static final String OPTIONS = "etc/jvm.options";

    /// The full name of a commit.
    ///
    /// @throws IOException when git has no such commit
    public static String resolve(String commit) throws IOException, InterruptedException {
        return Child.output("git", "rev-parse", "--verify", "--end-of-options", commit + "^{commit}")
                .orElseThrow(() -> new IOException("no such commit: " + commit));
    }

    /// The commit of the working tree, abbreviated, with `-dirty` when tracked files differ from it; `unknown` outside
    /// a repository.
    public static String commitHere() throws InterruptedException {
        var commit = Child.output("git", "rev-parse", "--short=10", "HEAD");
        var changes = Child.output("git", "status", "--porcelain", "--untracked-files=no");
        return commit.map(name -> changes.orElse("").isEmpty() ? name : name + "-dirty")
                .orElse("unknown");
    }

    /// The jar of a commit; builds it unless that was done before.
    ///
    /// @param commit its full name
    public Path jar(String commit) throws IOException, InterruptedException {
        var jar = folder.toAbsolutePath().resolve(commit + ".jar");
        Files.createDirectories(folder);
        var options = Child.output("git", "show", commit + ":" + OPTIONS)
                .orElseThrow(() -> new IOException("no " + OPTIONS + " in " + commit));
        Files.writeString(beside(jar), options + "\n");
        if (Files.exists(jar)) {
            return jar;
        }
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

    /// The JVM options of the commit that a jar is of; those of the working tree for others.
    static Path optionsOf(Path jar) {
        var kept = beside(jar);
        return Files.exists(kept) ? kept : Path.of(OPTIONS);
    }

    private static Path beside(Path jar) {
        return jar.resolveSibling(jar.getFileName().toString().replace(".jar", ".options"));
    }

    private static void run(Path folder, List<String> command) throws IOException, InterruptedException {
        Child.run(folder, command, "failed: " + String.join(" ", command));
    }
}
