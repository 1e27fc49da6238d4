package org.restheart.mongo.document;

import org.restheart.mongo.find.CountQuery;

/// The header that describes the accuracy of a count.
final class CountStrategy {
    static final String HEADER = "X-Count-Strategy";

    /// How many there are on all pages: arrays have no other room for it.
    static final String TOTAL = "X-Total-Count";

    private CountStrategy() {}

    static String of(CountQuery query) {
        return query.estimated() ? "estimated" : "exact";
    }
}
