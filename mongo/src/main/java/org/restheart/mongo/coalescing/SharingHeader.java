package org.restheart.mongo.coalescing;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.restheart.http.Response;

/// Makes responses of what flights bring back; tells clients how many shared the flight, if that is switched on.
record SharingHeader(boolean shown) {
    private static final String NAME = "X-Coalesced";

    <O> Response defer(CompletionStage<Landed<O>> eventual, Function<O, Response.Ready> answer) {
        return Response.later(eventual, landed -> {
            var response = answer.apply(landed.outcome());
            return shown ? response.with(NAME, Integer.toString(landed.sharing())) : response;
        });
    }
}
