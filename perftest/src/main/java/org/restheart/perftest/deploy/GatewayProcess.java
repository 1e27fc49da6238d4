package org.restheart.perftest.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.embedded.FreePort;

/// The gateway in a process of its own, with its own configuration but for address, MongoDB and mounts: whatever is on
/// by default (authentication, ETags, metrics) stays on.
public final class GatewayProcess {
    private GatewayProcess() {}

    /// Starts the jar with the JVM options that `./run` gives it, and waits until it answers.
    ///
    /// @param overrides in the syntax of the `RHO` environment variable, separated by `;`; may be empty
    /// @param log the gateway's output
    public static HttpServer start(Path jar, List<String> jvmOptions, Mongo mongo, String overrides, Path log)
            throws IOException, InterruptedException {
        if (!Files.isRegularFile(jar)) {
            throw new IOException("no gateway at " + jar + "; build it, or name another with --gateway-jar");
        }
        var port = FreePort.find();
        var command = new ArrayList<String>();
        command.add(Child.java());
        command.add("@" + Build.optionsOf(jar));
        command.addAll(jvmOptions);
        command.addAll(List.of("-jar", jar.toString()));
        var builder = new ProcessBuilder(command);
        builder.environment().put("RHO", rho(port, mongo, overrides));
        return HttpServer.start(builder, port, "/ping", log);
    }

    private static String rho(int port, Mongo mongo, String overrides) {
        return Stream.of(
                        "/http-listener/host -> '127.0.0.1'",
                        "/http-listener/port -> " + port,
                        "/mclient/connection-string -> '" + mongo.connectionString() + "'",
                        "/mongo/mongo-mounts -> [{'what': '*', 'where': '/'}]",
                        overrides)
                .filter(override -> !override.isBlank())
                .collect(Collectors.joining("; "));
    }
}
