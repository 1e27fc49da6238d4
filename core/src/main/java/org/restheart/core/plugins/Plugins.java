package org.restheart.core.plugins;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.core.accounts.Security.AddedPolicy;
import org.restheart.core.config.ConfigException;
import org.restheart.core.config.Finding;
import org.restheart.core.config.PluginSettings;
import org.restheart.core.config.PluginsConfig;
import org.restheart.core.plugins.Installing.AddedStep;
import org.restheart.core.plugins.Installing.BackgroundTask;
import org.restheart.core.plugins.Installing.Place;
import org.restheart.core.plugins.Installing.Provided;
import org.restheart.core.plugins.PluginSteps.ListenerQueue;
import org.restheart.core.plugins.PluginSteps.PluginService;
import org.restheart.core.plugins.PluginUnit.PluginLoader;
import org.restheart.core.routing.Binding;
import org.restheart.core.server.StartException;
import org.restheart.http.Fatal;
import org.restheart.http.Filter;
import org.restheart.http.Headers;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Request;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.plugin.Plugin;
import org.restheart.text.Nearest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The plugins of a gateway: found, installed in the order of their names and of [Plugin#after()], closed
/// in the opposite one.
public final class Plugins implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);
    static final Pattern NAME = Pattern.compile("[a-zA-Z][a-zA-Z0-9_-]*");
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final PluginsConfig config;
    private final List<Plugin> given;
    private final Surroundings around;
    private final List<PluginLoader> loaders = new ArrayList<>();
    private final List<Installed> installed = new ArrayList<>();
    private final List<Thread> tasks = new ArrayList<>();

    /// What plugins work with.
    public record Surroundings(
            Optional<MongoClient> client, JudgedRequests data, MeterRegistry registry, MemoryBudget memory) {}

    /// A plugin before it is installed.
    private record Candidate(
            String unit, Plugin plugin, Set<String> after, PluginCalls calls, PluginSettings settings) {
        String name() {
            return calls.plugin();
        }
    }

    private record Installed(Candidate plugin, Installing parts) {}

    private Plugins(PluginsConfig config, List<Plugin> given, Surroundings around) {
        this.config = config;
        this.given = given;
        this.around = around;
    }

    /// Finds and installs all plugins there are.
    ///
    /// @throws StartException naming the jar, the plugin, the reason and what to do, if one cannot be used
    public static Plugins install(PluginsConfig config, List<Plugin> given, Surroundings around) {
        var plugins = new Plugins(config, given, around);
        boolean isDone = false;
        try {
            plugins.install(plugins.units());
            isDone = true;
            return plugins;
        } finally {
            if (!isDone) {
                plugins.close();
            }
        }
    }

    /// Loads all plugins, and has each check its settings; installs none.
    ///
    /// @throws StartException as [#install]
    public static void check(PluginsConfig config, Consumer<Finding> found) {
        JudgedRequests nobody = (_, _) -> {
            throw JudgedRequests.NOT_PERMITTED.raise();
        };
        try (var plugins = new Plugins(
                config,
                List.of(),
                new Surroundings(Optional.empty(), nobody, new SimpleMeterRegistry(), new MemoryBudget(0)))) {
            plugins.units().values().forEach(plugin -> plugins.check(plugin, found));
        }
    }

    private void check(Candidate plugin, Consumer<Finding> found) {
        try {
            plugin.calls.perform("check", () -> plugin.plugin.check(plugin.settings));
        } catch (RuntimeException e) {
            fail(plugin.unit, "the plugin " + plugin.name() + " cannot be checked: " + reason(e), e);
        }
        plugin.settings.checked().forEach(found);
    }

    private Map<String, Candidate> units() {
        return find(config.directory().map(PluginUnit::in).orElse(List.of()));
    }

    /// Ends the start, or says what is missing from now on.
    private void fail(String unit, String what, Throwable cause) {
        var message = unit + ": " + what + ". Mend or remove it"
                + (config.skipsFailed() ? "" : ", or set /core/plugins-on-error to skip");
        if (!config.skipsFailed()) {
            throw new StartException(message, cause);
        }
        LOG.error("Started without a plugin: {}", message, cause);
    }

    /// The enabled plugins by name.
    ///
    /// @param units that of shared jars last; none without a folder
    private Map<String, Candidate> find(List<PluginUnit> units) {
        var found = new TreeMap<String, Candidate>();
        var off = new TreeSet<String>();
        var shared = units.isEmpty() ? null : opened(units.getLast(), null);
        for (var unit : units.subList(0, Math.max(0, units.size() - 1))) {
            try {
                var loader = opened(unit, shared);
                for (var plugin : unit.load(loader, config.packages())) {
                    add(plugin, unit.name(), loader, found, off);
                }
            } catch (IOException | RuntimeException | ServiceConfigurationError | LinkageError e) {
                rethrow(e);
                fail(unit.name(), "it cannot be loaded: " + reason(e), e);
            }
        }
        for (var plugin : given) {
            var type = plugin.getClass();
            add(plugin, type.getName(), Objects.requireNonNull(type.getClassLoader()), found, off);
        }
        off.addAll(found.keySet());
        requireUse(off);
        return found;
    }

    private void add(Plugin plugin, String unit, ClassLoader loader, Map<String, Candidate> found, Set<String> off) {
        var name = plugin.name();
        var problem = NAME.matcher(name).matches() ? nameProblem(name, found) : "is no name";
        var settings = config.settings(name);
        boolean isOn = settings.bool("enabled", plugin.enabledByDefault());
        if (!problem.isEmpty()) {
            fail(unit, "the name \"" + name + "\" of a plugin " + problem, new IllegalStateException());
        } else if (isOn || !settings.refused().isEmpty()) { // which its installation reports
            var calls = new PluginCalls(name, loader, around.registry);
            found.put(name, new Candidate(unit, plugin, Set.copyOf(plugin.after()), calls, settings));
        } else {
            off.add(name);
            LOG.info("Plugin {} of {} is off", name, unit);
        }
    }

    private PluginLoader opened(PluginUnit unit, @Nullable PluginLoader shared) {
        var loader = new PluginLoader(unit.name(), unit.jars(), shared);
        loaders.add(loader);
        return loader;
    }

    /// A block that overrides alone have made is that of a plugin, or a mistake.
    private void requireUse(Set<String> names) {
        var unknown = config.onlyOverridden().stream()
                .filter(block -> !names.contains(block))
                .map(block -> new Finding(
                        Finding.Level.REFUSED,
                        "/" + block,
                        "is not known: no plugin has this name" + Nearest.question(block, names)))
                .toList();
        if (!unknown.isEmpty() && !config.skipsFailed()) {
            throw new ConfigException(unknown);
        }
        unknown.forEach(finding -> LOG.error("{}", finding));
    }

    private static void rethrow(Throwable failure) {
        Fatal.exitOn(failure);
        if (failure instanceof StartException start) {
            throw start;
        }
    }

    private static String reason(Throwable failure) {
        var cause = failure.getCause() == null ? failure : failure.getCause();
        return cause.getClass().getSimpleName() + (cause.getMessage() == null ? "" : ": " + cause.getMessage());
    }

    private static String nameProblem(String name, Map<String, Candidate> found) {
        var other = found.get(name);
        return other != null
                ? "is that of one in " + other.unit + ", too"
                : PluginsConfig.isTaken(name) ? "is that of a part of the gateway" : "";
    }

    /// Each one after those whose objects it asks for.
    private void install(Map<String, Candidate> found) {
        var waiting = new TreeMap<>(found);
        var provided = new HashMap<Class<?>, Provided>();
        var done = new HashSet<String>();
        while (!waiting.isEmpty()) {
            var next = waiting.values().stream()
                    .filter(plugin -> done.containsAll(plugin.after))
                    .findFirst();
            if (next.isEmpty()) {
                var first = waiting.pollFirstEntry().getValue();
                var lacking = first.after.stream()
                        .filter(name -> !done.contains(name))
                        .sorted()
                        .collect(Collectors.joining(", "));
                fail(
                        first.unit,
                        "the plugin " + first.name() + " comes after " + lacking
                                + ", which is not there, cannot be used, or comes after it",
                        new IllegalStateException());
                continue;
            }
            waiting.remove(next.get().name());
            if (install(next.get(), provided)) {
                done.add(next.get().name());
            }
        }
    }

    private boolean install(Candidate plugin, Map<Class<?>, Provided> provided) {
        var parts = new Installing(plugin.calls, plugin.settings, around, provided, plugin.after);
        installed.add(new Installed(plugin, parts)); // closed even if it is installed by half
        try {
            plugin.calls.perform("installation", () -> plugin.plugin.install(parts));
            parts.over();
            var refused = plugin.settings.refused();
            if (!refused.isEmpty()) {
                throw new IllegalArgumentException(
                        refused.stream().map(Finding::toString).collect(Collectors.joining("; ")));
            }
            plugin.settings.unknown().forEach(finding -> LOG.warn("{}", finding));
            var version = plugin.plugin.getClass().getPackage().getImplementationVersion();
            LOG.info(
                    "Plugin {}{} of {}: {}",
                    plugin.name(),
                    version == null ? "" : " " + version,
                    plugin.unit,
                    String.join(", ", parts.parts()));
            return true;
        } catch (RuntimeException e) {
            withdraw(plugin, provided);
            if (parts.restrict()) {
                throw new StartException(
                        plugin.unit + ": the plugin " + plugin.name()
                                + " has a veto, an interceptor of operations or a transform, without which more"
                                + " would be allowed or shown, and cannot be installed: "
                                + reason(e)
                                + ". Mend or remove it",
                        e);
            }
            fail(plugin.unit, "the plugin " + plugin.name() + " cannot be installed: " + reason(e), e);
            return false;
        }
    }

    /// Takes away what a plugin has added before it failed.
    private void withdraw(Candidate plugin, Map<Class<?>, Provided> provided) {
        var failed = installed.removeLast();
        provided.values().removeIf(object -> object.by().equals(plugin.name()));
        awaitEnd(closing(List.of(failed)), CLOSING);
    }

    public AddedPolicy policy() {
        return new AddedPolicy(
                parts(parts -> parts.authenticators),
                parts(parts -> parts.vetoers),
                parts(parts -> parts.authorizers),
                parts(parts -> parts.failedAttempts),
                parts(parts -> parts.tokens).stream().findFirst());
    }

    /// What they add to lines of the log of requests, by name.
    public Map<String, BiFunction<Request, Headers, Optional<String>>> logFields() {
        var fields = new LinkedHashMap<String, BiFunction<Request, Headers, Optional<String>>>();
        installed.forEach(plugin -> fields.putAll(plugin.parts.logFields));
        return fields;
    }

    private <T> List<T> parts(Function<Installing, List<T>> of) {
        return installed.stream()
                .flatMap(plugin -> of.apply(plugin.parts).stream())
                .toList();
    }

    public List<Binding> bindings() {
        return parts(parts -> parts.bindings);
    }

    /// Whether the plugin's block says that its endpoint takes the place of the other service.
    public static boolean isReplaced(Binding other, Binding added) {
        return added.service() instanceof PluginService own
                && own.replaces().equals(other.service().name());
    }

    /// Warns of parts that are for services that are not there: they would never be asked.
    ///
    /// @param all that the gateway has
    public void warnOfMissing(List<Binding> all) {
        var names = all.stream().map(binding -> binding.service().name()).collect(Collectors.toSet());
        installed.forEach(plugin -> plugin.parts.steps.stream()
                .flatMap(step -> step.on().services().stream())
                .filter(name -> !names.contains(name))
                .distinct()
                .sorted()
                .forEach(name -> LOG.warn(
                        "Plugin {} selects the service {}, which is off or does not exist{}",
                        plugin.plugin.name(),
                        name,
                        Nearest.question(name, names))));
    }

    /// A binding with the steps that are for its requests; itself if there are none.
    public Binding with(Binding binding) {
        var outer = filters(binding, Place.REQUESTS);
        var inner = new ArrayList<>(filters(binding, Place.OPERATIONS));
        inner.addAll(filters(binding, Place.DOCUMENTS));
        inner.addAll(binding.innerFilters());
        inner.addAll(filters(binding, Place.AFTER));
        return outer.isEmpty() && inner.size() == binding.innerFilters().size()
                ? binding
                : binding.inFront(outer).behind(inner);
    }

    /// In the order of their priorities; installed plugins are in the order of their names.
    private List<Filter> filters(Binding binding, Place place) {
        return installed.stream()
                .sorted(Comparator.comparing(plugin -> plugin.plugin.name()))
                .flatMap(plugin -> plugin.parts.steps.stream())
                .filter(step -> step.place() == place && step.isFor(binding.service()))
                .sorted(Comparator.comparingInt(AddedStep::priority))
                .map(AddedStep::filter)
                .toList();
    }

    /// To be called when connections are accepted.
    public void started() {
        for (var plugin : installed) {
            var calls = plugin.plugin.calls;
            calls.run("start", () -> plugin.plugin.plugin.started());
            plugin.parts.tasks.forEach(
                    task -> tasks.add(Thread.ofVirtual().name(calls.thread()).start(() -> repeat(calls, task))));
        }
    }

    private static void repeat(PluginCalls calls, BackgroundTask task) {
        try {
            do {
                calls.run("task " + task.name(), task.work());
                Thread.sleep(task.every());
            } while (task.every().isPositive());
        } catch (InterruptedException _) { // the server stops
            Thread.currentThread().interrupt();
        }
    }

    /// When no request is in progress any more. Each of the two waits has one bound, however many plugins there are.
    @Override
    public void close() {
        tasks.forEach(Thread::interrupt);
        var queues = parts(parts -> parts.queues);
        var working = new ArrayList<>(tasks);
        queues.forEach(queue -> Optional.ofNullable(queue.worker()).ifPresent(working::add));
        awaitEnd(working, CLOSING);
        queues.forEach(ListenerQueue::close);
        awaitEnd(closing(installed), CLOSING);
        loaders.reversed().forEach(PluginLoader::close);
    }

    /// Threads that close plugins, each after those that may have its objects.
    private static List<Thread> closing(List<Installed> plugins) {
        var threads = new LinkedHashMap<Candidate, Thread>();
        for (var closed : plugins.reversed()) {
            var plugin = closed.plugin;
            var users = threads.entrySet().stream()
                    .filter(other -> other.getKey().after.contains(plugin.name()))
                    .map(Map.Entry::getValue)
                    .toList();
            threads.put(plugin, Thread.ofVirtual().name(plugin.calls.thread()).start(() -> {
                awaitEnd(users, CLOSING);
                plugin.calls.run("closing", plugin.plugin::close);
            }));
        }
        return List.copyOf(threads.values());
    }

    /// Waits until threads have ended, for all of them together; those that have not then are interrupted.
    static void awaitEnd(List<Thread> threads, Duration bound) {
        long end = System.nanoTime() + bound.toNanos();
        try {
            for (var thread : threads) {
                var left = Duration.ofNanos(end - System.nanoTime());
                if (!(left.isPositive() ? thread.join(left) : thread.getState() == Thread.State.TERMINATED)) {
                    LOG.warn("{} has not ended in time", thread.getName());
                    thread.interrupt();
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
