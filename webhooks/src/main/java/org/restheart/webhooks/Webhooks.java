package org.restheart.webhooks;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import org.restheart.plugin.Installation;
import org.restheart.plugin.Plugin;
import org.restheart.plugin.Settings;

/// The plugin. Each hook follows a collection in a task of its own, at one gateway of those that share MongoDB.
public final class Webhooks implements Plugin {
    /// Between two attempts to follow: another gateway does, or MongoDB was away.
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private Runnable closing = () -> {};

    @Override
    public String name() {
        return "webhooks";
    }

    /// @param states the collection of how far each hook is
    private record Hooks(String db, String states, String failures, Duration lease, List<Hook> all) {
        static Hooks of(Settings settings, HttpClient http) {
            return new Hooks(
                    settings.text("db", "restheart"),
                    settings.text("collection", "_webhooks"),
                    settings.text("failures-collection", "_webhookFailures"),
                    Duration.ofMillis(settings.integer("lease-ms", 30_000, 1_000, 600_000)),
                    settings.texts("hooks").stream()
                            .flatMap(name -> Hook.of(name, settings.block(name), http).stream())
                            .toList());
        }
    }

    @Override
    public void check(Settings settings) {
        try (var http = HttpClient.newHttpClient()) {
            Hooks.of(settings, http);
        }
    }

    @Override
    public void install(Installation to) {
        var http = HttpClient.newHttpClient();
        closing = http::shutdownNow;
        var hooks = Hooks.of(to.settings(), http);
        for (var hook : hooks.all) {
            var mongo = to.mongo().orElseThrow(() -> new IllegalStateException("webhooks need MongoDB (mclient)"));
            var store =
                    new HookStore(mongo.getDatabase(hooks.db), hooks.states, hooks.failures, hook.name(), hooks.lease);
            to.background(hook.name(), PAUSE, new HookFollower(hook, mongo, store)::follow);
        }
    }

    @Override
    public void close() {
        closing.run();
    }
}
