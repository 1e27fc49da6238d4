package org.restheart.http.judged;

import org.restheart.http.attribute.Key;

/// Which of a collection's documents a judged request reads, in place of a page: any number may be left out and there
/// is
/// no largest page. Without a sort of its own the request takes them in MongoDB's natural order.
///
/// @param limit at least 1
public record Slice(long skip, int limit) {
    public static final Key<Slice> KEY = Key.named("slice");
}
