package org.restheart.webhooks;

import com.mongodb.MongoNamespace;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bson.BsonDocument;
import org.restheart.http.Lease;
import org.restheart.plugin.Settings;

/// One target, and what it is told of. Thread-safe.
///
/// @param name of its block of settings
/// @param on types of changes, as change streams call them
/// @param withDocument whether the target gets the whole document as it is when the change is read
/// @param attempts for each change, with pauses that double, from `pause`
/// @param parallel documents whose changes are sent at a time
/// @param memory opens what owns a large change
record Hook(
        String name,
        MongoNamespace collection,
        URI url,
        SecretKeySpec key,
        List<String> on,
        boolean withDocument,
        int attempts,
        Duration pause,
        Duration timeout,
        int parallel,
        HttpClient http,
        Supplier<Lease> memory) {
    private static final List<String> TYPES = List.of("insert", "update", "replace", "delete");
    private static final String ALGORITHM = "HmacSHA256";
    private static final int SHORTEST_SECRET = 24;
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final String GONE = "status 410";
    private static final String TOO_LARGE = "its JSON is too large";

    /// What follows it is the key in Base64, as Standard Webhooks write secrets.
    private static final String ENCODED = "whsec_";

    /// A change that is sent.
    ///
    /// @param id the same each time it is sent
    /// @param size bytes of content that it keeps
    record Event(String id, String type, BsonDocument key, int size, Content content) {}

    /// The JSON of a change.
    @FunctionalInterface
    interface Content {
        /// @param memory takes what a large one needs, before it is read
        /// @return empty if it is too large to be sent
        Optional<byte[]> read(Lease memory) throws InterruptedException;
    }

    /// Empty if settings are refused.
    static Optional<Hook> of(String name, Settings settings, HttpClient http, Supplier<Lease> memory) {
        var collection = settings.text("collection", "");
        var url = url(settings);
        var secret = secret(settings.text("secret", ""));
        var on = settings.texts("on");
        boolean isNamed = collection.matches("[^/]+/[^/]+");
        if (!isNamed) {
            settings.refuse("collection", "must be a collection with its database, such as shop/orders");
        }
        if (secret.length < SHORTEST_SECRET) {
            settings.refuse("secret", "must have at least " + SHORTEST_SECRET + " bytes; after whsec_, in Base64");
        }
        if (!TYPES.containsAll(on)) {
            settings.refuse("on", "must be some of " + TYPES);
        }
        var document = settings.bool("document", false);
        int attempts = settings.integer("attempts", 8, 1, 30);
        int pause = settings.integer("pause-ms", 1_000, 10, 60_000);
        int timeout = settings.integer("timeout-ms", 10_000, 10, 60_000);
        int parallel = settings.integer("parallel", 8, 1, 100);
        return isNamed && url.isPresent() && secret.length >= SHORTEST_SECRET
                ? Optional.of(new Hook(
                        name,
                        new MongoNamespace(collection.replace('/', '.')),
                        url.get(),
                        new SecretKeySpec(secret, ALGORITHM),
                        on.isEmpty() ? TYPES : on,
                        document,
                        attempts,
                        Duration.ofMillis(pause),
                        Duration.ofMillis(timeout),
                        parallel,
                        http,
                        memory))
                : Optional.empty();
    }

    /// Empty if it is not what its prefix says.
    private static byte[] secret(String text) {
        try {
            return text.startsWith(ENCODED)
                    ? Base64.getDecoder().decode(text.substring(ENCODED.length()))
                    : text.getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return new byte[0];
        }
    }

    private static Optional<URI> url(Settings settings) {
        try {
            var url = URI.create(settings.text("url", ""));
            if (url.getHost() != null
                    && url.getRawUserInfo() == null
                    && List.of("http", "https").contains(url.getScheme())) {
                return Optional.of(url);
            }
        } catch (IllegalArgumentException _) {
            // refused without its text, which may have a secret
        }
        settings.refuse("url", "must be a URL that begins with https:// or http://, without a user");
        return Optional.empty();
    }

    /// Keeps a change that is given up.
    @FunctionalInterface
    interface Failures {
        /// @param json what was sent last; empty if it is too large
        /// @param memory owns it
        void keep(Event event, Optional<byte[]> json, String why, Lease memory);
    }

    /// Sends a change until the target has taken it (2xx), or it is given up.
    ///
    /// @param most attempts
    /// @return whether the target has taken it
    boolean send(Event event, int most, Failures failures) throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try (var owned = memory.get()) {
                var json = event.content().read(owned);
                var why = json.isEmpty() ? TOO_LARGE : attempt(event, json.get());
                if (why.isEmpty()) {
                    return true;
                }
                if (attempt == most || why.equals(GONE) || why.equals(TOO_LARGE)) {
                    failures.keep(event, json, why, owned);
                    return false;
                }
            }
            Thread.sleep(pauseAfter(attempt));
        }
    }

    /// @return why the target has not taken it; blank if it has
    private String attempt(Event event, byte[] json) throws InterruptedException {
        var sent = http.sendAsync(request(event, json), BodyHandlers.discarding());
        try {
            int status = sent.get(timeout.toMillis(), TimeUnit.MILLISECONDS).statusCode();
            return status / 100 == 2 ? "" : "status " + status;
        } catch (ExecutionException | TimeoutException e) {
            var cause = e.getCause() == null ? e : e.getCause();
            return cause.getClass().getSimpleName();
        } finally {
            sent.cancel(true); // also a response that does not end
        }
    }

    /// With up to half as much more by chance, so that gateways that failed together do not return together.
    private Duration pauseAfter(int attempt) {
        long millis = Math.min(pause.toMillis() << Math.min(attempt - 1, 20), LONGEST_PAUSE.toMillis());
        return Duration.ofMillis(millis + ThreadLocalRandom.current().nextLong(millis / 2 + 1));
    }

    /// Signed as [Standard Webhooks](https://www.standardwebhooks.com) are.
    private HttpRequest request(Event event, byte[] json) {
        var time = Long.toString(Instant.now().getEpochSecond());
        return HttpRequest.newBuilder(url)
                .timeout(timeout)
                .header("Content-Type", "application/json")
                .header("webhook-id", event.id())
                .header("webhook-timestamp", time)
                .header("webhook-signature", "v1," + signature(event.id() + "." + time + ".", json))
                .POST(BodyPublishers.ofByteArray(json))
                .build();
    }

    private String signature(String head, byte[] json) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(head.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(mac.doFinal(json));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Neither the URL nor the key, which are secret.
    @Override
    public String toString() {
        return "Hook[" + name + ", " + collection + "]";
    }
}
