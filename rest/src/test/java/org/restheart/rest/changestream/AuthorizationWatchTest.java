package org.restheart.rest.changestream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.access.CallerScope;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.testkit.TestRequests;

@NullMarked
class AuthorizationWatchTest {
    private static final int MAX_CHECKS = 8;
    private static final String PASSWORD = "YWRhOnNlY3JldA==";

    private final BackgroundTasks tasks = new BackgroundTasks();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2030-01-01T00:00:00Z"));
    private final AtomicReference<Predicate<Request>> known = new AtomicReference<>(_ -> true);
    private final AtomicInteger checks = new AtomicInteger();
    private final AuthorizationWatch watch = new AuthorizationWatch(tasks, Duration.ZERO, new Accounts(), now::get);

    private final class Accounts implements Reauthorization {
        @Override
        public boolean stillAdmits(Request request) {
            return true;
        }

        @Override
        public Optional<Request> current(Request request) {
            var is = known.get();
            try {
                return Optional.of(request).filter(is);
            } finally {
                checks.incrementAndGet();
            }
        }

        @Override
        public Set<AuthorizationBasis> bases(Request request) {
            return Set.of(new AuthorizationBasis.OfAccount("ada"));
        }
    }

    @AfterEach
    void stop() {
        tasks.close();
    }

    private Backlog open(String caller, List<String> roles, String... authorization) {
        var backlog = new Backlog(1, 1);
        var headers = Fields.NONE;
        for (var line : authorization) {
            headers = headers.plus("Authorization", line);
        }
        var request = TestRequests.request(Method.GET, "/c/_streams/s")
                .with(headers)
                .with(Caller.of(new Account(caller, roles, new BsonDocument())));
        CallerScope.run(CallerScope.account(caller), () -> watch.watch(backlog, request));
        return backlog;
    }

    private Backlog open(String caller) {
        return open(caller, List.of("user"), "Basic " + PASSWORD);
    }

    private void awaitChecks(int count) {
        await().until(() -> checks.get() >= count);
    }

    @Test
    void few_callers_are_checked_at_a_time() {
        var at = new AtomicInteger();
        var most = new AtomicInteger();
        var go = new CountDownLatch(1);
        known.set(_ -> {
            most.accumulateAndGet(at.incrementAndGet(), Math::max);
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            at.decrementAndGet();
            return true;
        });
        for (int i = 0; i < 50; i++) {
            open("account " + i);
        }
        await().until(() -> at.get() >= MAX_CHECKS);
        go.countDown();
        awaitChecks(50);
        assertThat(most.get()).isEqualTo(MAX_CHECKS);
    }

    @Test
    void what_cannot_be_checked_for_long_is_ended() {
        known.set(_ -> {
            throw Problem.overloaded("the caller holds all of its share").raise();
        });
        var backlog = open("ada");
        awaitChecks(2);
        assertThat(backlog.ending()).isEmpty();
        now.updateAndGet(time -> time.plusSeconds(31));
        await().until(() -> backlog.ending().equals(Optional.of(Ending.PERMISSION_LOST)));
    }

    @Test
    void what_cannot_be_checked_for_want_of_mongodb_stays() {
        known.set(_ -> {
            throw Problem.of(ProblemCode.DATABASE_UNAVAILABLE, "not now").raise();
        });
        var backlog = open("ada");
        awaitChecks(1);
        now.updateAndGet(time -> time.plusSeconds(31));
        awaitChecks(checks.get() + 2);
        assertThat(backlog.ending()).isEmpty();
    }

    @Test
    void a_rejected_password_is_checked_once_however_it_was_written() {
        var forms = List.of(
                List.of("Basic " + PASSWORD),
                List.of("Basic    " + PASSWORD),
                List.of("bAsIc " + PASSWORD),
                List.of("Basic " + PASSWORD.replace("=", "")),
                List.of("Bearer x", "Basic " + PASSWORD));
        var backlogs = new ArrayList<Backlog>();
        for (var lines : forms) {
            backlogs.add(open("ada", List.of("user"), lines.toArray(String[]::new)));
        }
        awaitChecks(forms.size());
        checks.set(0);
        known.set(_ -> false);
        watch.changed(Optional.empty());
        await().until(() ->
                backlogs.stream().allMatch(backlog -> backlog.ending().isPresent()));
        assertThat(checks.get()).isEqualTo(1);
    }

    @Test
    void a_good_password_is_not_rejected_for_roles_of_an_earlier_request() {
        var before = open("ada", List.of("user"), "Basic " + PASSWORD);
        var after = open("ada", List.of("editor"), "Basic " + PASSWORD);
        awaitChecks(2);
        known.set(request -> request.caller().account().orElseThrow().hasRole("editor"));
        watch.changed(Optional.empty());
        awaitChecks(4);
        await().until(() -> before.ending().isPresent());
        assertThat(after.ending()).isEmpty();
    }
}
