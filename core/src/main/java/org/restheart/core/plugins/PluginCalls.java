package org.restheart.core.plugins;

import com.mongodb.MongoInterruptedException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Fatal;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.plugin.Installation.Task;
import org.restheart.plugin.Meters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls the code of one plugin: with its class loader as that of the thread, whose name says so, and with
/// its failures told apart from those of the gateway. Thread-safe.
final class PluginCalls {
    private static final Logger LOG = LoggerFactory.getLogger(PluginCalls.class);
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String plugin;
    private final ClassLoader loader;
    private final PluginMeters meters;
    private final AtomicLong nextReport = new AtomicLong(System.nanoTime());

    PluginCalls(String plugin, ClassLoader loader, MeterRegistry registry) {
        this.plugin = plugin;
        this.loader = loader;
        this.meters = new PluginMeters(registry, plugin);
    }

    String plugin() {
        return plugin;
    }

    PluginMeters meters() {
        return meters;
    }

    /// The name of threads that are in it.
    String thread() {
        return "plugin " + plugin;
    }

    /// The result of its code.
    ///
    /// @throws ProblemException an answer of the plugin's
    /// @throws PluginFailure for all else, and for null
    <T> T call(String what, Callable<? extends @Nullable T> code) {
        return call(what, code, () -> 0);
    }

    /// The same for code that calls the gateway again.
    ///
    /// @param elsewhere nanoseconds that it was there
    <T> T call(String what, Callable<? extends @Nullable T> code, LongSupplier elsewhere) {
        T result;
        long began = System.nanoTime();
        try {
            result = within(thread(), loader, code::call);
        } catch (Throwable failure) {
            throw failure(what, failure);
        } finally {
            meters.ran(what, System.nanoTime() - began - elsewhere.getAsLong());
        }
        if (result == null) {
            throw failure(what, new NullPointerException("it has returned null"));
        }
        return result;
    }

    /// The result of its code for a request.
    <T> T step(Request request, String what, Callable<? extends @Nullable T> code, LongSupplier elsewhere) {
        long began = System.nanoTime();
        try {
            return call(what, code, elsewhere);
        } finally {
            if (LOG.isDebugEnabled()) {
                long nanos = System.nanoTime() - began - elsewhere.getAsLong();
                LOG.debug(
                        "request {} was in the {} of plugin {} for {} µs",
                        request.id(),
                        what,
                        plugin,
                        TimeUnit.NANOSECONDS.toMicros(nanos));
            }
        }
    }

    /// What is thrown for what its code has thrown.
    RuntimeException failure(String what, Throwable thrown) {
        if (thrown instanceof RuntimeException known
                && (known instanceof ProblemException
                        || known instanceof PluginFailure
                        || Request.isThreadNeeded(known))) {
            return known;
        }
        Fatal.exitOn(thrown);
        meters.failed(what);
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new PluginFailure(this, what, thrown);
    }

    /// The result of its code, where a failure, which is logged at most once a minute, has a substitute.
    <T> T call(String what, Callable<? extends @Nullable T> code, T otherwise) {
        try {
            return call(what, code);
        } catch (RuntimeException failure) {
            report(what, failure);
            return otherwise;
        }
    }

    /// Runs its code.
    ///
    /// @throws RuntimeException as [#call]
    void perform(String what, Task code) {
        call(what, () -> {
            code.run();
            return true;
        });
    }

    /// Runs code whose failure concerns nobody else; it is logged at most once a minute.
    void run(String what, Task code) {
        try {
            perform(what, code);
        } catch (RuntimeException failure) {
            boolean isStopping =
                    Thread.currentThread().isInterrupted() || failure.getCause() instanceof MongoInterruptedException;
            if (!isStopping) {
                report(what, failure);
            }
        }
    }

    /// Logs a failure, at most once a minute.
    void report(String what, Throwable failure) {
        long now = System.nanoTime();
        long next = nextReport.get();
        if (now - next >= 0 && nextReport.compareAndSet(next, now + QUIET_NANOS)) {
            LOG.error("the {} of plugin {} failed", what, plugin, failure);
        }
    }

    /// The result of code with another name and class loader of its thread. I/O threads keep their names.
    static <T, E extends Exception> T within(String name, @Nullable ClassLoader loader, Code<T, E> code) throws E {
        var thread = Thread.currentThread();
        var nameBefore = thread.getName();
        var loaderBefore = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        if (thread.isVirtual()) {
            thread.setName(name);
        }
        try {
            return code.run();
        } finally {
            thread.setContextClassLoader(loaderBefore);
            if (thread.isVirtual()) {
                thread.setName(nameBefore);
            }
        }
    }

    @FunctionalInterface
    interface Code<T extends @Nullable Object, E extends Exception> {
        T run() throws E;
    }

    /// A failure of a plugin, which clients hear nothing of but that there is one.
    static final class PluginFailure extends RuntimeException {
        PluginFailure(PluginCalls calls, String what, Throwable cause) {
            super("the " + what + " of plugin " + calls.plugin + " failed", cause);
        }
    }

    /// The meters of one plugin: its own, and those of its parts. Thread-safe.
    static final class PluginMeters implements Meters {
        private static final int MOST = 1_000;
        private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");

        private final MeterRegistry registry;
        private final String plugin;
        private final Map<String, Timer> durations = new ConcurrentHashMap<>();
        private final Set<String> known = ConcurrentHashMap.newKeySet();

        PluginMeters(MeterRegistry registry, String plugin) {
            this.registry = registry;
            this.plugin = plugin;
        }

        void ran(String component, long nanos) {
            durations
                    .computeIfAbsent(
                            component,
                            _ -> Timer.builder("plugin_duration")
                                    .description("Calls of plugins' code, without what interceptors waited for")
                                    .tags(of(component))
                                    .publishPercentiles(0.5, 0.95, 0.99)
                                    .register(registry))
                    .record(nanos, TimeUnit.NANOSECONDS);
        }

        void failed(String component) {
            count("plugin_failures", "Calls that have thrown something, or returned null", component);
        }

        void dropped(String component) {
            count("plugin_dropped", "Requests of which slow listeners have not heard", component);
        }

        private void count(String name, String description, String component) {
            Counter.builder(name)
                    .description(description)
                    .tags(of(component))
                    .register(registry)
                    .increment();
        }

        private Tags of(String component) {
            return Tags.of("plugin", plugin, "component", component);
        }

        private Tags tags(String name, String... labels) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("a meter cannot have the name " + name);
            }
            var own = Tags.of(labels);
            if (known.size() < MOST) {
                known.add(name + own);
            }
            var shown = known.contains(name + own)
                    ? own
                    : Tags.of(own.stream()
                            .map(tag -> Tag.of(tag.getKey(), "_other"))
                            .toList());
            return shown.and("plugin", plugin);
        }

        @Override
        public void count(String name, String... labels) {
            registry.counter(name, tags(name, labels)).increment();
        }

        @Override
        public void time(String name, Duration time, String... labels) {
            registry.timer(name, tags(name, labels)).record(time);
        }

        @Override
        public void gauge(String name, Supplier<Number> value, String... labels) {
            Gauge.builder(name, value)
                    .tags(tags(name, labels))
                    .strongReference(true)
                    .register(registry);
        }
    }
}
