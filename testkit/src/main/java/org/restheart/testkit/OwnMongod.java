package org.restheart.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.restheart.embedded.EmbeddedMongoException;
import org.restheart.embedded.FreePort;
import org.restheart.embedded.MongodBinary;

/// A small mongod of a test's own on a free port of 127.0.0.1.
public final class OwnMongod implements AutoCloseable {
    private final ProcessBuilder command;
    private final int port;
    private Process process;

    private OwnMongod(ProcessBuilder command, int port) throws IOException {
        this.command = command;
        this.port = port;
        this.process = command.start();
    }

    /// Does not wait until it answers. Aborts the test where there is no mongod.
    ///
    /// @param data a folder, beside which its log is written
    /// @param options further arguments
    public static OwnMongod launch(Path data, String... options) throws IOException {
        int port = FreePort.find();
        var command = new ArrayList<>(List.of(mongod(), "--port", "" + port, "--dbpath", data.toString()));
        command.addAll(List.of("--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25"));
        command.addAll(List.of("--setParameter", "diagnosticDataCollectionEnabled=false"));
        command.addAll(List.of(options));
        var log = data.resolveSibling(data.getFileName() + ".log").toFile();
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
        return new OwnMongod(builder, port);
    }

    private static String mongod() {
        try {
            return MongodBinary.find(null, MongodBinary.standardCache()).path().toString();
        } catch (EmbeddedMongoException e) {
            return abort("needs a mongod of its own: " + e.getMessage());
        }
    }

    public int port() {
        return port;
    }

    public Process process() {
        return process;
    }

    /// After its end, with the same data.
    public void restart() throws IOException {
        process = command.start();
    }

    /// @param name such as `STOP`, which leaves its sockets open, and `CONT`
    public void signal(String name) throws IOException, InterruptedException {
        var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()));
        assertThat(kill.start().waitFor()).isZero();
    }

    /// As a crash would.
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
