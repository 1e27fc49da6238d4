package org.restheart.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.restheart.http.Connection;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.judged.DataCatalog;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.testkit.TestRequests;

/// What lists cost by what there is in MongoDB: 40 databases `d10` … `d49` of 100 collections `c100` … `c199`.
class VisibleCollectionsTest {
    private static final int DATABASES = 40;
    private static final int COLLECTIONS = 100;
    private static final Request REQUEST = TestRequests.request(Method.POST, "/_mcp");

    private static final DataPaths PATHS = new DataPaths() {
        @Override
        public Optional<String> ofCollection(Connection connection, String database, String collection) {
            return Optional.of("/" + database + "/" + collection);
        }

        @Override
        public Optional<String> ofDatabase(Connection connection, String database) {
            return Optional.of("/" + database);
        }

        @Override
        public List<List<Segment>> collectionPaths(Optional<String> database) {
            return List.of(
                    List.of(database.<Segment>map(Segment.Name::new).orElse(Segment.Unknown.ANY), Segment.Unknown.ANY));
        }

        @Override
        public Optional<String> ofId(BsonValue id) {
            return Optional.empty();
        }
    };

    private int listed;
    private int evaluated;

    private final DataCatalog catalog = new DataCatalog() {
        @Override
        public List<String> databases() {
            listed++;
            return IntStream.range(10, 10 + DATABASES).mapToObj(i -> "d" + i).toList();
        }

        @Override
        public List<Entry> collections(String database) {
            listed++;
            return IntStream.range(100, 100 + COLLECTIONS)
                    .mapToObj(i -> new Entry("c" + i, "collection"))
                    .toList();
        }

        @Override
        public Optional<BsonDocument> validator(String database, String collection) {
            return Optional.empty();
        }
    };

    /// @param rules by the path of a kind, in which unknown segments are `{}`
    private VisibleCollections visible(Function<String, Decision> rules) {
        KindPermissions permissions = (_, kind) -> {
            evaluated++;
            return new Permitted(rules.apply(path(kind)), List.of());
        };
        var calls = new JudgedCalls(
                (_, _) -> {
                    throw new ProblemException(ProblemCode.FORBIDDEN, "not with these parameters");
                },
                (_, _) -> {
                    throw new AssertionError("no operation");
                },
                PATHS);
        return new VisibleCollections(catalog, calls, permissions, Set.of());
    }

    private static String path(RequestKind kind) {
        return String.join(
                "/",
                kind.path().stream()
                        .map(segment -> segment instanceof Segment.Name(var text) ? text : "{}")
                        .toList());
    }

    @Test
    void what_nobody_may_read_is_not_even_listed() {
        var closed = visible(_ -> Decision.NEVER);
        assertThat(closed.mayReadAnything(REQUEST)).isFalse();
        assertThat(closed.usable(REQUEST, EnumSet.allOf(Tool.class))).containsExactly(Tool.LIST_DATABASES);
        assertThat(listed).isZero();
        assertThat(evaluated).isLessThan(40);
        assertThat(closed.databases(REQUEST, Optional.empty()).items()).isEmpty();
        assertThat(closed.all(REQUEST, Optional.empty(), 100).items()).isEmpty();
        assertThat(listed).isEqualTo(2); // the databases, by each list
    }

    @Test
    void databases_in_which_nothing_is_open_are_skipped() {
        var visible = visible(path -> path.matches("(\\{}|d30)/(\\{}|c150)") ? Decision.DEPENDS : Decision.NEVER);
        assertThat(visible.mayReadAnything(REQUEST)).isTrue();
        assertThat(visible.databases(REQUEST, Optional.empty()).items()).containsExactly("d30");
        assertThat(listed).isEqualTo(2);
        assertThat(visible.usable(REQUEST, EnumSet.of(Tool.FIND, Tool.COUNT))).containsExactly(Tool.FIND);
        assertThat(evaluated).isLessThan(2_000);
    }

    @Test
    void a_response_evaluates_rules_for_a_bounded_number_of_collections() {
        var visible = visible(path -> path.endsWith("{}") ? Decision.DEPENDS : Decision.NEVER);
        for (var page :
                List.of(visible.all(REQUEST, Optional.empty(), 100), visible.databases(REQUEST, Optional.empty()))) {
            assertThat(page.items()).isEmpty();
            assertThat(page.next()).isPresent();
        }
        assertThat(evaluated).isLessThan(2 * 7 * VisibleCollections.MOST);
        evaluated = 0;
        visible.usable(REQUEST, EnumSet.allOf(Tool.class));
        assertThat(evaluated).isLessThan(20 * VisibleCollections.MOST);
    }

    @Test
    void pages_have_everything_visible_once_and_in_order() {
        var visible = visible(path -> path.endsWith("{}") || path.endsWith("7") ? Decision.DEPENDS : Decision.NEVER);
        var seen = new ArrayList<String>();
        var place = Optional.<VisibleCollections.ListPosition>empty();
        do {
            var page = visible.all(REQUEST, place, 30);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(30);
            page.items().forEach(one -> seen.add(one.path()));
            place = page.next().map(VisibleCollections.ListPosition::toBson).map(VisibleCollections.ListPosition::of);
        } while (place.isPresent());
        assertThat(seen).hasSize(DATABASES * COLLECTIONS / 10).isSorted().doesNotHaveDuplicates();

        var databases = new ArrayList<String>();
        do {
            var page = visible.databases(REQUEST, place);
            databases.addAll(page.items());
            place = page.next();
        } while (place.isPresent());
        assertThat(databases).hasSize(DATABASES).isSorted().doesNotHaveDuplicates();
    }
}
