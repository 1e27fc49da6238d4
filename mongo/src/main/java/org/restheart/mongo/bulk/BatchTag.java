package org.restheart.mongo.bulk;

import org.bson.types.ObjectId;
import org.restheart.http.Request;
import org.restheart.http.attribute.Attributes;
import org.restheart.http.attribute.Key;

/// The entity tag of all documents of a batch that may be sent again: a document that has it was stored by an earlier
/// attempt. Set by the server only.
public final class BatchTag {
    private static final Key<ObjectId> KEY = Key.named("batch tag");

    private BatchTag() {}

    public static Attributes in(Attributes attributes, ObjectId tag) {
        return attributes.with(KEY, tag);
    }

    /// A new one for requests that are not sent again.
    static ObjectId of(Request request) {
        return request.attribute(KEY).orElseGet(ObjectId::new);
    }

    static boolean isIn(Request request) {
        return request.attribute(KEY).isPresent();
    }
}
