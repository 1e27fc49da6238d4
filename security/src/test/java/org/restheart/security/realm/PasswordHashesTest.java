package org.restheart.security.realm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.security.Requests.get;
import static org.restheart.testkit.TestRequests.onIoThread;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.http.Fields;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.security.ClientAddress;
import org.restheart.security.InvalidatedCache;
import org.restheart.security.InvalidatedCache.CacheExpiry;
import org.restheart.security.realm.UsersCollection.RolesPath;
import org.restheart.testkit.ThreadCpu;

class PasswordHashesTest {
    @AutoClose
    private static final PasswordHashes HASHES = new PasswordHashes(6, new ClientAddress.Peer());

    private static final ClientAddress FORWARDED = new ClientAddress.Forwarded(1, _ -> true);

    @Test
    void a_verified_password_is_cached_until_the_hash_changes() {
        var hash = HASHES.hash(get("/"), "pw");
        assertThat(HASHES.matches(get("/"), "pw", hash)).isTrue();
        assertThat(HASHES.matches(onIoThread(get("/")), "pw", hash)).isTrue();
        var other = HASHES.hash(get("/"), "other");
        assertThat(HASHES.matches(get("/"), "pw", other)).isFalse();
    }

    private static long cost(Callable<?> work) throws Exception {
        long before = ThreadCpu.nanos("bcrypt-");
        work.call();
        return ThreadCpu.nanos("bcrypt-") - before;
    }

    private static StoredRealm realm(String... names) {
        var users = new UsersCollection("db", "users", "_id", "password", RolesPath.parse("$.roles"), true);
        var documents = Stream.of(names)
                .collect(Collectors.toMap(
                        name -> name,
                        name -> BsonDocument.parse(
                                "{_id: '" + name + "', password: '" + HASHES.hash(get("/"), "pw") + "', roles: []}")));
        return new StoredRealm(
                users,
                name -> Optional.ofNullable(documents.get(name)),
                HASHES,
                new InvalidatedCache<>("accounts", new CacheExpiry(10, Duration.ZERO, CacheExpiry.Expiry.AFTER_WRITE)));
    }

    @Test
    void an_unknown_account_takes_as_long_as_a_wrong_password() throws Exception {
        var realm = realm("ada");
        long wrong = 0;
        long unknown = 0;
        for (int i = 0; i < 80; i++) {
            wrong += cost(() -> realm.verify(get("/"), "ada", "wrong"));
            unknown += cost(() -> realm.verify(get("/"), "nobody", "wrong"));
        }
        assertThat((double) unknown / wrong).isBetween(0.7, 1.4);
    }

    /// Who asks about one name shares the work with those who ask the same, whether there is such an account or
    /// not, and never with those who ask about another.
    @Test
    void concurrent_requests_do_not_reveal_unknown_accounts() throws Exception {
        var realm = realm("ada", "bob");
        long known = 0;
        long unknown = 0;
        for (int i = 0; i < 40; i++) {
            known += cost(() -> together(realm, "ada", "bob"));
            unknown += cost(() -> together(realm, "nobody", "somebody"));
        }
        assertThat((double) unknown / known).isBetween(0.7, 1.4);
    }

    private static Object together(StoredRealm realm, String... names) throws InterruptedException {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            return threads.invokeAll(Stream.of(names)
                    .<Callable<Optional<Account>>>map(name -> () -> realm.verify(get("/"), name, "wrong"))
                    .toList());
        }
    }

    @Test
    void the_first_requests_of_a_client_with_many_connections_cost_one_verification() throws Exception {
        var hash = HASHES.hash(get("/"), "pw");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = threads.invokeAll(
                    Collections.<Callable<Boolean>>nCopies(200, () -> HASHES.matches(get("/"), "pw", hash)),
                    10,
                    TimeUnit.SECONDS);
            assertThat(answers).allMatch(Future::resultNow); // more than can wait for different passwords
        }
    }

    @Test
    void requests_beyond_the_queue_get_retry_after() throws Exception {
        var refused = new AtomicInteger();
        var hash = "$2a$09$abcdefghijklmnopqrstuuMsnqUfF2kA3Mvy0Lz5lJ6wRj0Vh2Ahy";
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            IntStream.range(0, 200)
                    .forEach(i -> threads.submit(() -> {
                        try {
                            HASHES.matches(get("/"), "guess " + i, hash);
                        } catch (ProblemException e) {
                            assertThat(e.problem().status()).isEqualTo(503);
                            assertThat(e.problem().headers().has("Retry-After")).isTrue();
                            refused.incrementAndGet();
                        }
                    }));
        }
        assertThat(refused).hasPositiveValue();
        assertThat(HASHES.matches(get("/"), "pw", HASHES.hash(get("/"), "pw"))).isTrue();
    }

    private static Request from(String address) {
        return get("/").with(Fields.of("X-Forwarded-For", address));
    }

    /// Hashes a password for each of these clients.
    ///
    /// @return in the order in which they are done
    private static List<String> done(PasswordHashes hashes, List<String> clients) {
        var done = new CopyOnWriteArrayList<String>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var client : clients) {
                threads.submit(() -> {
                    var _ = hashes.hash(from(client), "pw");
                    done.add(client);
                });
            }
        }
        return done;
    }

    @Test
    void clients_take_turns() throws Exception {
        try (var hashes = new PasswordHashes(8, FORWARDED)) {
            var clients = new ArrayList<>(Collections.nCopies(40, "192.0.2.1"));
            clients.add("192.0.2.2");
            assertThat(done(hashes, clients).indexOf("192.0.2.2")).isLessThan(20);
        }
    }

    @Test
    void a_flood_from_many_addresses_does_not_delay_known_clients() throws Exception {
        try (var hashes = new PasswordHashes(8, FORWARDED)) {
            var known = "192.0.2.1";
            assertThat(hashes.matches(from(known), "pw", hashes.hash(from(known), "pw")))
                    .isTrue();
            var clients = new ArrayList<>(
                    IntStream.range(0, 100).mapToObj(i -> "198.51.100." + i).toList());
            clients.add(known);
            clients.add(known);
            assertThat(done(hashes, clients).lastIndexOf(known)).isLessThan(50);
        }
    }

    @Test
    void every_kind_of_hash_is_recognised_and_nothing_else() {
        assertThat(PasswordHashes.isHash("$2b$12$abcdefghijklmnopqrstuuMsnqUfF2kA3Mvy0Lz5lJ6wRj0Vh2Ahy"))
                .isTrue();
        assertThat(PasswordHashes.isHash("$2a$99$abcdefghijklmnopqrstuuMsnqUfF2kA3Mvy0Lz5lJ6wRj0Vh2Ahy"))
                .isFalse();
        assertThat(PasswordHashes.isHash("$2a$12$short")).isFalse();
    }

    @Test
    void values_are_cached_only_while_changes_are_reported() {
        var kept = new InvalidatedCache<String, String>(
                "accounts", new CacheExpiry(10, Duration.ZERO, CacheExpiry.Expiry.AFTER_WRITE));
        kept.load("a", key -> key + 1);
        assertThat(kept.get("a")).isEmpty();
        kept.follow();
        kept.load("a", key -> key + 1);
        assertThat(kept.get("a")).contains("a1");
        kept.load("b", key -> {
            kept.invalidate(key); // the change is told while the old value is on its way
            return "old";
        });
        assertThat(kept.get("b")).isEmpty();
        kept.lose();
        assertThat(kept.get("a")).isEmpty();
    }
}
