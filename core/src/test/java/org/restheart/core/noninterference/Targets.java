package org.restheart.core.noninterference;

import org.bson.BsonValue;

/// Chooses ids and entity tags for requests: those of visible, hidden and missing documents.
record Targets(RandomSource random) {
    static FuzzRequest json(String method, String path, BsonValue body) {
        return FuzzRequest.of(method, path).withBody(body);
    }

    FuzzRequest tagged(FuzzRequest request) {
        return random.percent(20) ? request.withHeader("If-Match", tag()) : request;
    }

    String tag() {
        return random.pick(
                "$TAG",
                InitialState.tag(1 + random.nextInt(5)),
                InitialState.tag(20 + random.nextInt(3)),
                InitialState.tag(40 + random.nextInt(3)));
    }

    String id() {
        return random.percent(70)
                ? random.pick("m0", "m1", "m2", "m3")
                : random.pick("h0", "h1", "h2", "new0", "new1", "missing");
    }
}
