package org.restheart.core.plugins;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.restheart.plugin.Meters;

/// The meters of one plugin: its own, and those of its parts. Thread-safe.
final class PluginMeters implements Meters {
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

    /// @param component of the plugin, such as `interceptor`
    void ran(String component, long nanos) {
        durations
                .computeIfAbsent(
                        component,
                        _ -> Timer.builder("plugin_duration")
                                .description("Calls of plugins' code, without what interceptors waited for")
                                .tags(of(component))
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
                : Tags.of(
                        own.stream().map(tag -> Tag.of(tag.getKey(), "_other")).toList());
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
