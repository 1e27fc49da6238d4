package org.restheart.perftest.deploy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Child processes on this machine: how they are started and ended.
public final class Child {
    private Child() {}

    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /// A command of this program as a process of its own; it shares this process's standard error.
    public static Process ofThisProgram(List<String> jvmOptions, List<String> arguments) throws IOException {
        return ofThisProgram(System.getProperty("java.class.path"), jvmOptions, arguments);
    }

    /// The same with other libraries.
    public static Process ofThisProgram(String classPath, List<String> jvmOptions, List<String> arguments)
            throws IOException {
        var command = new ArrayList<String>();
        command.add(java());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", classPath, "org.restheart.perftest.Main"));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /// Ends a process that does not watch its parent when this one ends by itself or by a signal.
    static Process endWithThisProcess(Process process) {
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "end of a child"));
        return process;
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
