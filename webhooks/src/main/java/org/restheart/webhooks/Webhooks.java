package org.restheart.webhooks;

import java.net.http.HttpClient;
import java.time.Duration;
import org.restheart.plugin.Installation;
import org.restheart.plugin.Plugin;

/// The plugin. Each hook follows a collection in a task of its own, at one gateway of those that share MongoDB.
public final class Webhooks implements Plugin {
    /// Between two attempts to follow: another gateway does, or MongoDB was away.
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private Runnable closing = () -> {};

    @Override
    public String name() {
        return "webhooks";
    }

    @Override
    public void install(Installation to) {
        var settings = to.settings();
        var db = settings.text("db", "restheart");
        var states = settings.text("collection", "_webhooks");
        var failures = settings.text("failures-collection", "_webhookFailures");
        var lease = Duration.ofMillis(settings.integer("lease-ms", 30_000, 1_000, 600_000));
        var http = HttpClient.newHttpClient();
        closing = http::shutdownNow;
        for (var name : settings.texts("hooks")) {
            Hook.of(name, settings.block(name), http).ifPresent(hook -> {
                var mongo = to.mongo().orElseThrow(() -> new IllegalStateException("webhooks need MongoDB (mclient)"));
                var store = new HookStore(mongo.getDatabase(db), states, failures, name, lease);
                to.background(name, PAUSE, new HookFollower(hook, mongo, store)::follow);
            });
        }
    }

    @Override
    public void close() {
        closing.run();
    }
}
