package org.restheart.perftest.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// The commit of the working tree that is being measured.
public final class Commit {
    private Commit() {}

    /// Abbreviated, with `-dirty` when tracked files differ from it; `unknown` outside a repository.
    public static String here() throws IOException, InterruptedException {
        var commit = git("rev-parse", "--short=10", "HEAD");
        if (commit.isEmpty()) {
            return "unknown";
        }
        return git("status", "--porcelain", "--untracked-files=no").isEmpty() ? commit : commit + "-dirty";
    }

    private static String git(String... arguments) throws IOException, InterruptedException {
        var command = new String[arguments.length + 1];
        command[0] = "git";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        var process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? output.strip() : "";
    }
}
