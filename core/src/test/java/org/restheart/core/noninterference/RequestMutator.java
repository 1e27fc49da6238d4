package org.restheart.core.noninterference;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.restheart.core.noninterference.FuzzRequest.Part;

/// Varies a request: keys in another order, numbers of other types.
record RequestMutator(RandomSource random) {

    FuzzRequest of(FuzzRequest request) {
        List<Part> parameters = request.parameters().stream()
                .map(p -> p.value() instanceof BsonValue value ? new Part(p.name(), of(value)) : p)
                .toList();
        return new FuzzRequest(request.method(), request.path(), parameters, request.headers(), request.body());
    }

    private BsonValue of(BsonValue value) {
        return switch (value) {
            case BsonDocument document -> of(document);
            case BsonArray array -> new BsonArray(array.stream().map(this::of).toList());
            case BsonInt32 number
            when random.percent(30) ->
                random.percent(50) ? new BsonDouble(number.getValue()) : new BsonInt64(number.getValue());
            default -> value;
        };
    }

    /// `_id` stays last: it makes sorts total.
    private BsonDocument of(BsonDocument document) {
        var keys = new ArrayList<>(document.keySet());
        if (random.percent(50)) {
            boolean total = keys.remove("_id");
            Collections.reverse(keys);
            if (total) {
                keys.add("_id");
            }
        }
        var varied = new BsonDocument();
        keys.forEach(key -> varied.put(key, of(document.get(key))));
        return varied;
    }
}
