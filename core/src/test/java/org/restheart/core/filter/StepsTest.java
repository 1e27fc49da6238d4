package org.restheart.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.TestRequests.onIoThread;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.routing.Binding;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.Service;
import org.restheart.http.Withdrawable;
import org.restheart.testkit.TestRequests;

/// What runs again when a step needs a thread.
class StepsTest {
    private final Request request = onIoThread(TestRequests.request(Method.GET, "/"));
    private final AtomicInteger inFront = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();

    private Response answer(Service service, boolean judged, Filter security) {
        var pipeline = new Pipeline(
                Pipeline.Settings.of(GatewayConfig.parse("")),
                new ErrorMapping(_ -> Optional.empty()),
                _ -> security,
                _ -> security,
                Optional.empty());
        var route = pipeline.assemble(Binding.prefix(service, "/", false));
        return (judged ? route.judged() : route.chain()).handle(request);
    }

    private Response passed(Request passing, Handler next) {
        inFront.incrementAndGet();
        return next.handle(passing);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_is_in_front_of_a_step_runs_once(boolean judged) {
        Service service = here -> {
            begun.incrementAndGet();
            here.requireThread();
            return Response.status(Thread.currentThread().isVirtual() ? 200 : 500);
        };
        assertThat(answer(service, judged, this::passed).settled().status()).isEqualTo(200);
        assertThat(inFront).hasValue(1);
        assertThat(begun).hasValue(2);
    }

    @Test
    void a_caller_who_has_to_be_looked_up_is_looked_up_once() {
        Service service = _ -> {
            begun.incrementAndGet();
            return Response.status(204);
        };
        var answer = answer(service, false, (asking, next) -> {
            inFront.incrementAndGet();
            asking.requireThread();
            return next.handle(asking);
        });
        assertThat(answer.settled().status()).isEqualTo(204);
        assertThat(inFront).hasValue(2);
        assertThat(begun).hasValue(1);
    }

    @Test
    void a_refusal_on_another_thread_is_answered_as_any() {
        Service service = here -> {
            here.requireThread();
            throw Problem.of(ProblemCode.CONFLICT, "taken").raise();
        };
        assertThat(answer(service, false, this::passed).settled().status()).isEqualTo(409);
    }

    @Test
    void what_waits_later_may_be_withdrawn() {
        var withdrawn = new AtomicBoolean();
        final class Late extends CompletableFuture<Response.Ready> implements Withdrawable {
            @Override
            public void awaitedBy(Waiter waiter) {
                waiter.withdrawIfGone(() -> {
                    withdrawn.set(true);
                    return complete(Response.status(204));
                });
            }
        }
        Service service = here -> {
            here.requireThread();
            return Response.later(new Late(), ready -> ready);
        };
        var answer = (Response.Deferred<?>) answer(service, false, this::passed);
        answer.awaitedBy(BooleanSupplier::getAsBoolean);
        assertThat(answer.settled().status()).isEqualTo(204);
        assertThat(withdrawn).isTrue();
    }
}
