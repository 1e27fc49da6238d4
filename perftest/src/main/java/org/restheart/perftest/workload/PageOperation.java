package org.restheart.perftest.workload;

/// The gateway pages by number, so positions are multiples of the page size.
final class PageOperation {
    private PageOperation() {}

    static void check(long skip, int limit) {
        Check.atLeast("limit", limit, 1);
        Check.atLeast("skip", skip, 0);
        if (skip % limit != 0) {
            throw new IllegalArgumentException("skip " + skip + " is no multiple of the page size " + limit);
        }
    }
}
