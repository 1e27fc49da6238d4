package org.restheart.rest.description;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

class ShapeTest {
    private static final int MOST_BYTES = 64_000_000;

    private static BsonDocument leaves(int number) {
        var leaves = new BsonDocument();
        for (int i = 0; i < number; i++) {
            leaves.append("f" + Integer.toString(i, 36), new BsonInt32(1));
        }
        return leaves;
    }

    @Test
    void a_long_name_over_many_fields_takes_little_memory() {
        var document = new BsonDocument("x".repeat(100_000), leaves(40_000));
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        var builder = new Shape.Builder();
        builder.add(document);
        var shape = builder.build();
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MOST_BYTES);
        assertThat(shape.root().byName()).isEmpty();
        var values = shape.root().others().orElseThrow().object().orElseThrow();
        assertThat(values.byName()).hasSize(1_000);
    }

    @Test
    void the_most_frequent_paths_are_shown_and_of_equal_ones_the_first() {
        var builder = new Shape.Builder();
        var some = leaves(1_500);
        builder.add(new BsonDocument("z", new BsonInt32(1)));
        builder.add(new BsonDocument("a", BsonDocument.parse("{v: [{w: 1}], '~': 1}"))
                .append("many", some)
                .append("z", new BsonInt32(1)));
        var shape = builder.build();
        assertThat(shape.root().byName().keySet()).containsExactly("a", "many", "z");
        // z, a, a.v, a.v[], a.v[].w, a.~ and many are 7 of the 1,000
        assertThat(shape.root()
                        .byName()
                        .get("many")
                        .object()
                        .orElseThrow()
                        .byName()
                        .keySet())
                .containsExactlyElementsOf(
                        some.keySet().stream().sorted().limit(993).toList());
    }

    @Test
    void more_paths_than_can_be_counted_are_left_out() {
        var builder = new Shape.Builder();
        builder.add(new BsonDocument("first", new BsonInt32(1)));
        builder.add(leaves(150_000));
        builder.add(new BsonDocument("first", new BsonInt32(1)));
        var names = IntStream.range(0, 2)
                .mapToObj(_ -> builder.build().root().byName())
                .toList();
        assertThat(names.getFirst().keySet()).isEqualTo(names.getLast().keySet());
        assertThat(builder.build().root().byName().keySet().stream().collect(Collectors.toSet()))
                .hasSizeLessThanOrEqualTo(1_000);
    }
}
