package org.restheart.core.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Write;
import org.restheart.http.Filter;
import org.restheart.http.Guard;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Response.Deferred;
import org.restheart.http.Response.Ready;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.rest.session.OwnTransactions;
import org.restheart.rest.session.Sessions;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.TestRequests;
import org.restheart.testkit.WithMongo;

@WithMongo
class FreshAfterWritesTest {
    private static final DataTarget TARGET = target(Write.INSERT);
    private static final RuntimeException FAILURE = new IllegalStateException("nobody knows whether it has happened");

    private final List<DataTarget> written = new ArrayList<>();
    private final Filter filter = Guard.all(List.of(new DataGuards.FreshAfterWrites(written::add)));

    private static DataTarget target(Operation operation) {
        return new DataTarget(
                Optional.of("db"), Optional.of("acl"), Optional.empty(), ResourceKind.COLLECTION, operation, Set.of());
    }

    private static Request request(DataTarget target) {
        return TestRequests.request(Method.POST, "/acl").with(DataTarget.KEY, target);
    }

    /// Asks for the answer of a write whose outcome is there.
    private Supplier<Ready> answer(CompletableFuture<String> outcome) {
        Handler later = _ -> Response.later(outcome, text -> Response.json(200, text));
        var answers = new ArrayList<Supplier<Ready>>();
        ((Deferred<?>) filter.filter(request(TARGET), later)).whenThere(answers::add);
        assertThat(written).isEmpty();
        return answers.getFirst();
    }

    @Test
    void a_write_is_reported_when_its_response_is_built() {
        assertThat(answer(CompletableFuture.completedFuture("{}")).get().status())
                .isEqualTo(200);
        assertThat(written).containsExactly(TARGET);
    }

    @Test
    void a_write_that_fails_later_is_reported_as_well() {
        var answer = answer(CompletableFuture.failedFuture(FAILURE));
        assertThatThrownBy(answer::get).isSameAs(FAILURE);
        assertThat(written).containsExactly(TARGET);
    }

    @Test
    void a_write_that_fails_at_once_is_reported_as_well() {
        assertThatThrownBy(() -> filter.filter(request(TARGET), _ -> {
                    throw FAILURE;
                }))
                .isSameAs(FAILURE);
        assertThat(written).containsExactly(TARGET);
    }

    @Test
    void a_write_in_a_transaction_of_its_own_is_reported_again_when_that_has_ended(TestMongo mongo) {
        var transactions = new OwnTransactions(new Sessions(mongo.client(), new Sessions.Limits(10, 10, 1_000)));
        for (boolean commits : new boolean[] {true, false}) {
            written.clear();
            transactions.run(request(TARGET), attempt -> {
                var done = filter.filter(attempt.partOf(request(TARGET)), _ -> Response.status(200))
                        .settled();
                assertThat(written).containsExactly(TARGET);
                return new OwnTransactions.Outcome<>(done, commits);
            });
            assertThat(written).containsExactly(TARGET, TARGET);
        }
    }

    @Test
    void a_read_is_not_reported() {
        assertThat(filter.filter(request(target(Read.FIND)), _ -> Response.status(200)))
                .isInstanceOf(Ready.class);
        assertThat(written).isEmpty();
    }
}
