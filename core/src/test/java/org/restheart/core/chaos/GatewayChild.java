package org.restheart.core.chaos;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.restheart.core.GatewayProcess;
import org.restheart.embedded.FreePort;

/// A gateway in a process of its own, which can be killed and started again on the same port.
public final class GatewayChild implements AutoCloseable {
    /// Of the account that a gateway makes at its first start: idempotency keys belong to accounts.
    public static final String CREDENTIALS =
            "Basic " + Base64.getEncoder().encodeToString("admin:of the tests".getBytes(StandardCharsets.US_ASCII));

    private static final String CONFIGURATION = """
        core: {name: %s, drain-timeout-ms: 5000, grace-period-ms: %d}
        http-listener: {host: 127.0.0.1, port: %d}
        mclient: {connection-string: "%s"}
        mongo: {mongo-mounts: [{what: /%s, where: /}], change-streams-keep-alive-ms: 1000}
        basicAuthMechanism: {enabled: true}
        mongoRealmAuthenticator: {enabled: true, users-db: %s, create-user-password: of the tests, bcrypt-complexity: 4}
        mongoAclAuthorizer: {enabled: true, acl-db: %s, acl-collection: acl, root-role: admin}
        """;

    private static final List<String> QUICK_START = List.of("-XX:+UseSerialGC", "-Xmx300m");

    private final int port;
    private final Path folder;
    private final List<String> jvm;
    private Process process;

    GatewayChild(Path folder, String connectionString) throws IOException {
        this(folder, connectionString, "chaos", "restheart", "");
    }

    public GatewayChild(Path folder, String connectionString, String database, String accounts, String more)
            throws IOException {
        this(folder, connectionString, database, accounts, Duration.ZERO, more);
    }

    /// @param database that is shown
    /// @param accounts the database of accounts and permissions
    /// @param grace how long it goes on serving when it is told to stop
    /// @param more further lines of the configuration
    public GatewayChild(
            Path folder, String connectionString, String database, String accounts, Duration grace, String more)
            throws IOException {
        this(folder, connectionString, database, accounts, grace, more, QUICK_START);
    }

    private GatewayChild(
            Path folder,
            String connectionString,
            String database,
            String accounts,
            Duration grace,
            String more,
            List<String> jvm)
            throws IOException {
        this.jvm = jvm;
        this.folder = Files.createDirectory(folder);
        port = FreePort.find();
        Files.writeString(
                folder.resolve("restheart.yml"),
                CONFIGURATION.formatted(
                                folder.getFileName(),
                                grace.toMillis(),
                                port,
                                connectionString,
                                database,
                                accounts,
                                accounts)
                        + more);
        process = launch(Map.of());
    }

    /// One whose code is compiled for throughput, and that writes no line for each request.
    static GatewayChild fast(Path folder, String connectionString) throws IOException {
        var jvm = List.of("-XX:+UseSerialGC", "-Xmx400m", "-XX:TieredStopAtLevel=4");
        var noLog = "logging: {requests-log-mode: 0}\n";
        return new GatewayChild(folder, connectionString, "chaos", "restheart", Duration.ZERO, noLog, jvm);
    }

    private Process launch(Map<String, String> environment) throws IOException {
        var builder = GatewayProcess.of(folder, jvm.toArray(String[]::new));
        builder.environment().putAll(environment);
        return builder.start();
    }

    public int port() {
        return port;
    }

    Path log() {
        return folder.resolve("log");
    }

    public void awaitStart() {
        Awaitility.await().atMost(Duration.ofMinutes(2)).ignoreExceptions().until(() -> {
            try (var _ = new Socket("127.0.0.1", port)) {
                return true;
            }
        });
    }

    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    public void terminate() {
        process.destroy();
        process.onExit().join();
    }

    public void restart() throws IOException {
        process = launch(Map.of());
    }

    /// Starts it again with a clock that [#shiftClock] changes.
    ///
    /// @param library of libfaketime
    void restartWithClock(Path library, Duration ahead) throws IOException {
        shiftClock(ahead);
        process = launch(Map.of(
                "LD_PRELOAD",
                library.toString(),
                "FAKETIME_TIMESTAMP_FILE",
                clock().toString(),
                "FAKETIME_CACHE_DURATION",
                "1",
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1"));
    }

    /// Takes effect within a second.
    void shiftClock(Duration ahead) throws IOException {
        var next = Files.writeString(folder.resolve("clock.next"), "%+d%n".formatted(ahead.toSeconds()));
        Files.move(next, clock(), StandardCopyOption.ATOMIC_MOVE);
    }

    private Path clock() {
        return folder.resolve("clock");
    }

    @Override
    public void close() {
        kill();
    }
}
