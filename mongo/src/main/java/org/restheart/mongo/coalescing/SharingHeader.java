package org.restheart.mongo.coalescing;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.restheart.http.Response;

/// Builds responses of batch results; adds a header with the number of requests that shared the command, if enabled.
record SharingHeader(boolean shown) {
    private static final String NAME = "X-Coalesced";

    <O> Response defer(CompletionStage<BatchResult<O>> eventual, Function<O, Response.Ready> answer) {
        return Response.later(eventual, result -> {
            var response = answer.apply(result.outcome());
            return shown ? response.with(NAME, Integer.toString(result.sharing())) : response;
        });
    }
}
