package org.restheart.mongo.coalescing;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.restheart.http.Response;

/// Makes responses of what commands bring back; tells clients how many shared the command, if that is switched on.
record SharingHeader(boolean shown) {
    private static final String NAME = "X-Coalesced";

    <O> Response defer(CompletionStage<BatchResult<O>> eventual, Function<O, Response.Ready> answer) {
        return Response.later(eventual, result -> {
            var response = answer.apply(result.outcome());
            return shown ? response.with(NAME, Integer.toString(result.sharing())) : response;
        });
    }
}
