package org.restheart.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A gateway in a process of its own, whose heap can be small.
public final class GatewayProcess {
    private static final String CONFIGURATION = """
        http-listener: {host: 127.0.0.1, port: %d}
        mclient: {connection-string: "%s"}
        mongo: {mongo-mounts: [{what: /%s, where: /}]}
        basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
        fileRealmAuthenticator: {enabled: true, users: [{userid: bob, password: bob-pw, roles: [admin]}]}
        fullAuthorizer: {enabled: true, authentication-required: true}
        """;

    private GatewayProcess() {}

    /// Starts one for which `bob` is the only account, and may do everything.
    ///
    /// @param folder of its configuration and its log, which is named so
    /// @param database that is shown
    /// @param more further lines of the configuration
    public static Process start(
            Path folder, int port, String connectionString, String database, String more, String... options)
            throws IOException {
        Files.writeString(
                folder.resolve("restheart.yml"), CONFIGURATION.formatted(port, connectionString, database) + more);
        return of(folder, options).start();
    }

    /// One whose configuration is in `restheart.yml`, and whose log is appended to.
    ///
    /// @param options of the JVM, whose code is compiled for a quick start unless they say otherwise
    public static ProcessBuilder of(Path folder, String... options) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1"); // as in pom.xml
        command.addAll(List.of(options));
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                folder.resolve("restheart.yml").toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()));
    }
}
