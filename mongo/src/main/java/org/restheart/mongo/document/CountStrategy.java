package org.restheart.mongo.document;

import org.restheart.mongo.find.CountQuery;

/// The header that describes the accuracy of a count.
final class CountStrategy {
    static final String HEADER = "X-Count-Strategy";

    /// The number of documents on all pages. A header, since an array has no place for it.
    static final String TOTAL = "X-Total-Count";

    private CountStrategy() {}

    static String of(CountQuery query) {
        return query.estimated() ? "estimated" : "exact";
    }
}
