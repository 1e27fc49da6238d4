package org.restheart.mongo.document;

import org.restheart.mongo.find.CountQuery;

/// Tells clients how far to trust a number of documents.
final class CountStrategy {
    static final String HEADER = "X-Count-Strategy";

    private CountStrategy() {}

    static String of(CountQuery query) {
        return query.estimated() ? "estimated" : "exact";
    }
}
