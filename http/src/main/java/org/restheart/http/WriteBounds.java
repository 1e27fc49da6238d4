package org.restheart.http;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.restheart.http.attribute.Key;

/// What a request may write of a collection, whatever the access rule. Other than the rule's filter, it says nothing of
/// what the caller may see.
public record WriteBounds(BsonDocument filter) {
    /// Set by guards.
    public static final Key<WriteBounds> KEY = Key.named("write bounds");

    /// The most documents that the request may change; if there are more, it changes none.
    public static final Key<Long> MAX_AFFECTED = Key.named("max-affected");

    public static BsonDocument within(Request request, BsonDocument write) {
        return request.attribute(KEY)
                .map(WriteBounds::filter)
                .map(filter ->
                        write.isEmpty() ? filter : new BsonDocument("$and", new BsonArray(List.of(filter, write))))
                .orElse(write);
    }
}
