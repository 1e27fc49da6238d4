package org.restheart.core;

import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Instant;
import org.restheart.core.logging.LogSetup;
import org.restheart.http.Fatal;

/// The entry point of the process.
public final class Main {
    private Main() {}

    /// Starts the server, or prints what was asked for and exits; see `--help`.
    public static void main(String[] args) {
        Fatal.install();
        // The start of this JVM, not of the process: a start script may have built the jar before it replaced itself by
        // this JVM.
        var began = Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
        var launch = new Launch(System.getenv(), PidFile.standardDirectory(), System.out, System.err, began);
        switch (launch.run(args)) {
            case Launch.Outcome.Done(int exitCode) -> System.exit(exitCode);
            case Launch.Outcome.Running(var server) -> {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server), "stop"));
                onHangup(server::reload);
            }
        }
    }

    private static void stop(RunningServer server) {
        try {
            server.close();
        } finally {
            LogSetup.flush();
        }
    }

    /// Runs an action, on a thread of its own, for each signal `HUP`, by which operators ask a server to read its
    /// configuration again.
    ///
    /// The JDK has no supported API for signals: `sun.misc.Signal` of the module `jdk.unsupported` is reached by
    /// reflection, since javac warns of it. Where it is missing, or the system has no such signal, nothing happens.
    @SuppressWarnings("ReferenceEquality") // a proxy equals itself only
    private static void onHangup(Runnable action) {
        try {
            var signal = Class.forName("sun.misc.Signal");
            var handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler call = (proxy, method, arguments) -> switch (method.getName()) {
                case "handle" -> {
                    action.run();
                    yield null;
                }
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "HangUp";
            };
            signal.getMethod("handle", signal, handler)
                    .invoke(
                            null,
                            signal.getConstructor(String.class).newInstance("HUP"),
                            Proxy.newProxyInstance(Main.class.getClassLoader(), new Class<?>[] {handler}, call));
        } catch (ReflectiveOperationException | IllegalArgumentException _) {
            // Windows, or a JVM that was started with -Xrs
        }
    }
}
