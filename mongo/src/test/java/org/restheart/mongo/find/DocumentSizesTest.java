package org.restheart.mongo.find;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoNamespace;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.find.DocumentSizes.Size;

class DocumentSizesTest {
    private static final int LARGE = 8 << 20;

    /// More than may read at a time what is unknown.
    private static final int MANY = (int) (Runtime.getRuntime().maxMemory() >> 28) + 3;

    /// Reads of further collections, each within the one before.
    ///
    /// @return what is known in the last one
    private static Size within(DocumentSizes sizes, int further) {
        var size = sizes.of(new MongoNamespace("db", "c" + further));
        return size.reading(() -> further == 0 ? size : within(sizes, further - 1));
    }

    @Test
    void statistics_tell_the_size_where_others_read_what_is_unknown() {
        assertThat(within(new DocumentSizes(_ -> LARGE), MANY).one()).isEqualTo(LARGE);
        assertThat(within(new DocumentSizes(_ -> 0), MANY).isKnown()).isTrue();
    }

    @Test
    void statistics_tell_the_size_where_a_read_has_found_nothing() {
        var size = new DocumentSizes(_ -> 0).of(new MongoNamespace("db", "c"));
        size.reading(() -> "nothing");
        assertThat(size.isKnown()).isTrue();
    }

    @Test
    void a_read_of_what_no_statistics_know_waits_a_little_only() {
        assertThat(within(new DocumentSizes(_ -> -1), MANY).isKnown()).isFalse();
    }

    @Test
    void a_batch_is_expected_to_have_a_document_as_large_as_the_largest_of_late() {
        var size = new Size();
        size.saw(10_000, 10);
        assertThat(size.bytes(10)).isEqualTo(10_000);
        size.saw(LARGE + 9_000, 10, LARGE);
        assertThat(size.bytes(10)).isBetween((long) LARGE, 2L * LARGE);
        for (int i = 0; i < 500; i++) {
            size.saw(10_000, 10);
        }
        assertThat(size.bytes(10)).isLessThan(100_000);
    }
}
