package org.restheart.rest.content;

import static org.restheart.rest.content.DataContent.invalid;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Body;
import org.restheart.http.KnownKeys;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.rest.exchange.DataRequest;

/// Bounds of the content of requests that write documents of a collection: its property `checkContentSize`, `{"min": …,
/// "max": …}` in bytes, both optional.
public final class ContentSize {
    private static final String PROPERTY = "checkContentSize";

    private static final KnownKeys KEYS = KnownKeys.of("min max");

    private ContentSize() {}

    /// What has no effect in the property.
    public static List<String> warnings(BsonValue property) {
        return property instanceof BsonDocument bounds
                ? KEYS.warnings(PROPERTY, bounds)
                : List.of(PROPERTY + " has no effect, since it is no object: {\"min\": …, \"max\": …}");
    }

    /// @throws org.restheart.http.ProblemException 400; 500 for bounds that are not numbers
    public static void check(DataRequest request) {
        request.resource()
                .property(PROPERTY)
                .filter(BsonValue::isDocument)
                .ifPresent(bounds -> check(request.http().body(), bounds.asDocument()));
    }

    private static void check(Body body, BsonDocument bounds) {
        long min = bound(bounds, "min", 0);
        long max = bound(bounds, "max", Long.MAX_VALUE);
        if ((min > 0 && !body.isLongerThan(min - 1)) || (max < Long.MAX_VALUE && body.isLongerThan(max))) {
            throw invalid("the size of the content is outside of the collection's limits: "
                    + (max == Long.MAX_VALUE ? "at least " + min : min + " to " + max) + " bytes");
        }
    }

    private static long bound(BsonDocument bounds, String name, long otherwise) {
        var bound = bounds.get(name);
        if (bound == null) {
            return otherwise;
        }
        if (!bound.isNumber()) {
            throw new ProblemException(ProblemCode.INTERNAL, "wrong '" + PROPERTY + "': " + name + " must be a number");
        }
        return bound.asNumber().longValue();
    }
}
