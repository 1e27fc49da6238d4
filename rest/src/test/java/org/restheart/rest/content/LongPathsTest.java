package org.restheart.rest.content;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.restheart.bson.JsonParser;
import org.restheart.bson.fields.EffectiveValue;
import org.restheart.bson.fields.TouchedPaths;
import org.restheart.bson.fields.UnusablePathException;
import org.restheart.bson.fields.Visibility;
import org.restheart.http.ProblemException;

/// What contents with long paths, many paths and deep paths take, which are read before the request is authorized.
class LongPathsTest {
    private static final long MOST_BYTES = 100L << 20;
    private static final BsonInt32 ONE = new BsonInt32(1);
    private static final String DOTS = String.join(".", Collections.nCopies(500_000, "a"));
    private static final String NUMBERS = "a.1.1.1.1.1." + "x".repeat(1_000_000);

    /// One long name around many leaves.
    private static BsonDocument wide() {
        var leaves = new BsonDocument();
        for (int i = 0; i < 20_000; i++) {
            leaves.append(Integer.toString(i), ONE);
        }
        return new BsonDocument("x".repeat(100_000), leaves);
    }

    private static void assertBounded(Runnable work) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MOST_BYTES);
    }

    private static void judge(TouchedPaths touched) {
        assertThat(touched.has("owner")).isFalse();
        assertThat(touched.has("a.b")).isFalse();
        assertThat(touched.hasAll(List.of("owner"))).isFalse();
        assertThat(touched.hasOnly(List.of("b", "owner"))).isFalse();
        assertThat(touched.mayDecide("owner")).isFalse();
    }

    @Test
    void judgesManyLeavesBelowALongNameWithoutTheirPaths() {
        var wide = wide();
        assertBounded(() -> judge(TouchedPaths.together(wide, false)));
        assertBounded(() -> judge(TouchedPaths.together(new BsonArray(List.of(wide, wide)), false)));
        assertBounded(() -> judge(TouchedPaths.together(new BsonDocument("$set", wide), true)));
        var stage = new BsonDocument("$set", wide);
        assertBounded(() -> judge(TouchedPaths.together(new BsonArray(List.of(stage)), true)));
        assertBounded(() -> assertThat(EffectiveValue.of(wide, "owner").value()).isNull());
        assertThat(TouchedPaths.together(wide, false).has("x".repeat(100_000))).isTrue();
    }

    /// As trees, the values would take ten times as much.
    @Test
    void expandsDottedKeysBesideManyValues() {
        var many = "[" + "{\"\":0},".repeat(150_000) + "{}]";
        for (var json : List.of("{\"a.b\":1,\"c\":" + many + "}", "{\"a.b\":" + many + "}")) {
            var raw = JsonParser.parseDocument(json.getBytes(UTF_8));
            assertBounded(() -> {
                var expanded = DottedKeys.expand(raw);
                assertThat(expanded.getDocument("a")).containsKey("b");
            });
        }
        var into = JsonParser.parseDocument(("{\"c.0.x\":1,\"c\":" + many + "}").getBytes(UTF_8));
        assertBounded(() -> assertThatThrownBy(() -> DottedKeys.expand(into)).isInstanceOf(ProblemException.class));
        var some = JsonParser.parseDocument("{\"c.0.x\":1,\"c\":[{\"y\":{\"z\":2}}],\"c.0.y.u\":3}".getBytes(UTF_8));
        assertThat(DottedKeys.expand(some)).isEqualTo(BsonDocument.parse("{c: [{y: {z: 2, u: 3}, x: 1}]}"));
    }

    @Test
    void judgesDeepAndLongPaths() {
        for (var path : List.of(DOTS, NUMBERS)) {
            var fields = new BsonDocument(path, ONE);
            assertBounded(() -> {
                assertThat(TouchedPaths.together(fields, false).has("owner")).isFalse();
                assertThat(TouchedPaths.together(new BsonDocument("$set", fields), true)
                                .has("a"))
                        .isTrue();
                assertThat(TouchedPaths.together(
                                        new BsonArray(List.of(new BsonDocument("$unset", new BsonString(path)))), true)
                                .has("a"))
                        .isTrue();
                assertThat(EffectiveValue.of(fields, "owner").value()).isNull();
            });
        }
    }

    @Test
    void refusesDeepAndLongPathsBeforeTheyAreTakenApart() {
        for (var path : List.of(DOTS, NUMBERS)) {
            var fields = new BsonDocument(path, BsonNull.VALUE);
            var shown = Visibility.hiding(List.of("secret"));
            assertBounded(() -> assertTooLong(() -> DottedKeys.expand(fields)));
            assertBounded(() -> assertTooLong(() -> UpdateOperators.overlap(path, "owner")));
            assertBounded(() -> assertTooLong(() -> NewDocument.put(new BsonDocument(), path, ONE)));
            assertBounded(() -> assertUnusable(() -> shown.allowsFilter(fields)));
            assertBounded(() -> assertUnusable(() -> shown.allowsKeys(fields)));
            assertBounded(() -> assertUnusable(() -> shown.allowsExpression(new BsonString("$" + path))));
        }
    }

    @Test
    void boundsTheLevelsThatTheKeysOfADocumentMake() {
        var fields = new BsonDocument();
        var tail = ".a".repeat(98);
        for (int i = 0; i < 1_000; i++) {
            fields.append(i + "k" + tail, ONE);
        }
        assertThat(DottedKeys.expand(fields)).hasSize(1_000);
        for (int i = 0; i < 100; i++) {
            fields.append(i + "l" + tail, ONE);
        }
        assertThatThrownBy(() -> DottedKeys.expand(fields))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("dots");
    }

    private static void assertTooLong(Runnable work) {
        assertThatThrownBy(work::run).isInstanceOf(ProblemException.class).hasMessageContaining("too long");
    }

    private static void assertUnusable(Runnable work) {
        assertThatThrownBy(work::run).isInstanceOf(UnusablePathException.class).hasMessageContaining("too long");
    }
}
