package org.restheart.http.judged;

import org.restheart.http.attribute.Key;

/// The documents that a judged request reads or counts, in place of a page: any `skip` is allowed and `limit` is not
/// bounded by the largest page size.
///
/// @param limit at least 1; of a count: where it ends
/// @param natural whether a request without a sort of its own takes them in MongoDB's natural order
public record Slice(long skip, int limit, boolean natural) {
    public static final Key<Slice> KEY = Key.named("slice");

    /// In natural order unless the request has a sort.
    public Slice(long skip, int limit) {
        this(skip, limit, true);
    }
}
