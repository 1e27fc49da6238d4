package org.restheart.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.restheart.data.Operation.Read;
import org.restheart.http.Connection;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Response;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.Via;
import org.restheart.testkit.TestRequests;

class JudgedCallsTest {
    private static final DataPaths PATHS = new DataPaths() {
        @Override
        public Optional<String> ofCollection(Connection connection, String database, String collection) {
            return Optional.of("/" + collection);
        }

        @Override
        public Optional<String> ofDatabase(Connection connection, String database) {
            return Optional.of("/");
        }

        @Override
        public List<List<RequestKind.Segment>> collectionPaths(Optional<String> database) {
            return List.of(List.of(RequestKind.Segment.Unknown.ANY));
        }

        @Override
        public Optional<String> ofId(BsonValue id) {
            return Optional.empty();
        }
    };

    /// A response that ends when it is closed.
    private record Stream(CountDownLatch closed) implements Content.Source {
        @Override
        public ByteBuffer next() {
            return ByteBuffer.allocate(0);
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    @Test
    void a_response_that_comes_after_the_client_has_left_is_closed() throws Exception {
        var asked = new CountDownLatch(1);
        var eventual = new CompletableFuture<Response.Ready>();
        var calls = new JudgedCalls(
                (_, _) -> {
                    asked.countDown();
                    return Response.later(eventual, ready -> ready);
                },
                PATHS);
        var call = new FutureTask<>(() -> calls.send(
                TestRequests.request(Method.POST, "/mcp"), JudgedRequest.of(Read.FIND, "/c", "", Map.of(), Via.REST)));
        var thread = Thread.ofVirtual().start(call);
        asked.await();
        thread.interrupt();
        thread.join();
        var closed = new CountDownLatch(1);
        eventual.complete(
                Response.status(200).with("text/plain", new Content.Streamed(new Stream(closed), 1, Lease.CONSTANT)));
        assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(call.exceptionNow()).isInstanceOf(RefusedCall.class);
    }
}
