package org.restheart.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Response;

class PendingCallTest {
    private final List<String> ran = new ArrayList<>();

    /// The response of a call that has found as many bytes.
    private Response.Ready response(int bytes) {
        var found = Response.status(200)
                .saying(RawDocuments.encode(new BsonDocument("_id", new BsonBinary(new byte[bytes]))));
        var pending = PendingCall.of(
                Response.later(CompletableFuture.completedFuture(found), same -> same),
                Lease.CONSTANT,
                () -> ran.add("ended"),
                () -> ran.add("gone"),
                outcome -> {
                    ran.add("answered");
                    return outcome.get()
                            .with(
                                    "text/plain",
                                    Content.Bytes.of("shown".getBytes(StandardCharsets.UTF_8), Lease.CONSTANT));
                });
        return pending.settled();
    }

    @Test
    void a_small_document_is_converted_at_once() {
        assertThat(response(10).content()).isInstanceOf(Content.Bytes.class);
        assertThat(ran).containsExactly("ended", "answered");
    }

    @Test
    void a_large_document_is_converted_when_it_is_read() throws Exception {
        var content = response(100_000).content();
        assertThat(ran).containsExactly("ended");
        try (var read = Content.stream(content)) {
            assertThat(read.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("shown");
        }
        assertThat(ran).containsExactly("ended", "answered");
    }

    @Test
    void a_large_document_that_nobody_reads_ends_its_call() {
        response(100_000).content().abandon();
        assertThat(ran).containsExactly("ended", "gone");
    }
}
