package org.restheart.mongo.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

class ApproximateBookmarksTest {
    private static final BsonDocument BY_ID = BsonDocument.parse("{_id: 1}");

    private static ApproximateBookmarks bookmarks(long maxBytes) {
        return new ApproximateBookmarks(new SortIndex(BY_ID, false), System.nanoTime(), maxBytes);
    }

    private static BsonDocument key(int id) {
        return new BsonDocument("_id", new BsonInt32(id));
    }

    @Test
    void the_nearest_bookmark_is_the_last_one_that_is_not_behind_the_position() {
        var bookmarks = bookmarks(1 << 20);
        bookmarks.set(10, key(1));
        bookmarks.set(20, key(2));
        assertThat(bookmarks.nearest(9)).isEmpty();
        assertThat(bookmarks.nearest(10).orElseThrow().key()).isEqualTo(key(1));
        assertThat(bookmarks.nearest(19).orElseThrow().key()).isEqualTo(key(1));
        assertThat(bookmarks.nearest(1_000).orElseThrow().key()).isEqualTo(key(2));
    }

    @Test
    void too_many_bookmarks_are_thinned_out_evenly_within_the_bound() {
        var bookmarks = bookmarks(20_000);
        for (int i = 0; i < 10_000; i++) {
            bookmarks.set(i, key(i));
            assertThat(bookmarks.bytes()).isLessThanOrEqualTo(20_000);
        }
        assertThat(bookmarks.size()).isGreaterThan(20);
        assertThat(bookmarks.nearest(5_000))
                .hasValueSatisfying(found -> assertThat(found.position()).isBetween(0L, 5_000L));
        assertThat(bookmarks.nearest(9_999))
                .hasValueSatisfying(found -> assertThat(found.position()).isGreaterThan(9_000));
    }

    @Test
    void a_bookmark_set_again_is_counted_once() {
        var bookmarks = bookmarks(1 << 20);
        bookmarks.set(10, key(1));
        long one = bookmarks.bytes();
        bookmarks.set(10, key(2));
        assertThat(bookmarks.bytes()).isEqualTo(one);
        assertThat(bookmarks.size()).isEqualTo(1);
    }
}
