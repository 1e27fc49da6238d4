package org.restheart.http.judged;

import org.restheart.http.attribute.Key;

/// The documents that a judged request reads, in place of a page: any `skip` is allowed and `limit` is not bounded by
/// the largest page size. Without a sort they are read in MongoDB's natural order.
///
/// @param limit at least 1
public record Slice(long skip, int limit) {
    public static final Key<Slice> KEY = Key.named("slice");
}
