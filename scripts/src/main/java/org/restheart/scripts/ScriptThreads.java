package org.restheart.scripts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Engine;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.io.FileSystem;
import org.graalvm.polyglot.io.IOAccess;
import org.restheart.http.Problem;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares.Patience;
import org.restheart.http.access.FairThreads;
import org.restheart.plugin.Settings;

/// The engine and the threads of all scripts: these are platform threads, since the engine does not run on virtual
/// ones. Thread-safe.
final class ScriptThreads implements AutoCloseable {
    /// Characters of one text, and members of one typed array.
    private static final String MOST = "16777216";

    private final Limits limits;
    private final FairThreads threads;
    private final ScheduledThreadPoolExecutor timer;
    private final Engine engine = Engine.newBuilder("js")
            .option("engine.WarnInterpreterOnly", "false")
            .build();
    private final Source bridge = source();

    /// @param threads scripts that run at a time, of which one caller alone has half
    /// @param queue requests of one caller that wait for a thread
    /// @param millis how long a request may wait for a thread, and then how long a script may run
    record Limits(int threads, int queue, int millis) {
        static Limits of(Settings settings) {
            return new Limits(
                    settings.integer("threads", 4, 1, 64),
                    settings.integer("queue", 100, 1, 10_000),
                    settings.integer("time-limit-ms", 5_000, 10, 600_000));
        }
    }

    ScriptThreads(Limits limits) {
        this.limits = limits;
        threads = new FairThreads("plugin scripts-", limits.threads, limits.threads);
        timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("plugin scripts timer").daemon().factory());
        timer.setRemoveOnCancelPolicy(true);
    }

    private static Source source() {
        try (var in = Objects.requireNonNull(ScriptThreads.class.getResourceAsStream("bridge.js"))) {
            return Source.create("js", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Runs work with scripts on one of the threads.
    ///
    /// @throws org.restheart.http.ProblemException 503 if too many of the caller wait, or this has too long
    <T> T run(Supplier<T> work) {
        var patience = new Patience(TimeUnit.MILLISECONDS.toNanos(limits.millis), limits.queue, () -> false);
        try {
            return threads.compute(CallerScope.current(), patience, work::get).orElseThrow(ScriptThreads::busy);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while a script ran");
        } catch (ExecutionException e) {
            throw switch (e.getCause()) {
                case RuntimeException cause -> cause;
                case Error error -> throw error;
                case null, default -> new IllegalStateException(e);
            };
        }
    }

    private static RuntimeException busy() {
        return Problem.overloaded("too many scripts run").raise();
    }

    /// Runs code of a context on this thread, and closes the context when its time is over. What it waits
    /// for, such as MongoDB, is interrupted.
    ///
    /// @return false if the context cannot be used any more, and the code may not have ended
    boolean within(Context context, int millis, Runnable code) {
        var thread = Thread.currentThread();
        var over = new CompletableFuture<Void>();
        var end = timer.schedule(
                () -> {
                    thread.interrupt();
                    over.complete(null);
                    Thread.ofPlatform().name("plugin scripts end").daemon().start(() -> context.close(true)); // blocks
                },
                millis,
                TimeUnit.MILLISECONDS);
        try {
            code.run();
        } catch (PolyglotException e) {
            if (end.cancel(false)) {
                throw e;
            }
        } finally {
            if (!end.cancel(false) && !end.isCancelled()) {
                over.join();
                Thread.interrupted(); // the next one is not meant
            }
        }
        return end.isCancelled();
    }

    /// A new context.
    ///
    /// @param folder of which it may read files, and nothing else of this machine
    Context open(Path folder) {
        var files = FileSystem.newCompositeFileSystem(
                FileSystem.newDenyIOFileSystem(),
                FileSystem.Selector.of(
                        FileSystem.newReadOnlyFileSystem(FileSystem.newDefaultFileSystem()),
                        path -> folder.resolve(path).normalize().startsWith(folder)));
        return Context.newBuilder("js")
                .engine(engine)
                .allowHostAccess(HostAccess.NONE)
                .allowIO(IOAccess.newBuilder().fileSystem(files).build())
                .currentWorkingDirectory(folder)
                .allowExperimentalOptions(true)
                .option("js.esm-eval-returns-exports", "true")
                .option("js.commonjs-require", "true")
                .option("js.commonjs-require-cwd", folder.toString())
                .option("js.string-length-limit", MOST)
                .option("js.max-typed-array-length", MOST)
                .option("js.load", "false")
                .option("js.print", "false")
                .option("js.console", "false")
                .option("js.polyglot-builtin", "false")
                .option("js.graal-builtin", "false")
                .build();
    }

    Source bridge() {
        return bridge;
    }

    int millis() {
        return limits.millis;
    }

    @Override
    public void close() {
        threads.close();
        timer.shutdownNow();
        engine.close(true);
    }
}
