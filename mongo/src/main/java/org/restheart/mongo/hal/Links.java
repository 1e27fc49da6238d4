package org.restheart.mongo.hal;

import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;

/// The `_links` of one resource, in order. Confined to one request.
final class Links {
    static final String MEMBER = "_links";

    private final BsonDocument links = new BsonDocument();

    Links add(String relation, String href) {
        links.append(relation, new BsonDocument("href", new BsonString(href)));
        return this;
    }

    /// A URI template (RFC 6570).
    Links addTemplate(String relation, String template) {
        links.append(
                relation, new BsonDocument("href", new BsonString(template)).append("templated", BsonBoolean.TRUE));
        return this;
    }

    boolean isEmpty() {
        return links.isEmpty();
    }

    BsonDocument toDocument() {
        return links;
    }
}
