package org.restheart.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import graphql.schema.idl.RuntimeWiring;
import graphql.schema.idl.SchemaGenerator;
import graphql.schema.idl.SchemaParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Queries that are kept take as much memory as is allowed for them, however short their texts are.
class QueryCacheTest {
    private static final int VALUES = 14_000;

    private static QueryCache queries() {
        return new QueryCache(
                new SchemaGenerator()
                        .makeExecutableSchema(
                                new SchemaParser().parse("type Query { doc(list: [Int]): Int n: Int }"),
                                RuntimeWiring.MOCKED_WIRING),
                GraphqlConfig.Queries.DEFAULT);
    }

    private static long used() {
        var runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    private static String query(String kind, int n) {
        return kind.equals("values")
                ? "{doc(list:[" + n + " 1".repeat(VALUES) + "])}"
                : "query q" + n + "{" + "n ".repeat(2_000) + "}";
    }

    @ParameterizedTest
    @CsvSource({"values, 30", "fields, 300"})
    void short_texts_of_many_nodes(String kind, int queries) {
        var kept = queries();
        assertThat(kept.find(query(kind, 0)).hasErrors()).isFalse();
        long before = used();
        for (int i = 1; i <= queries; i++) {
            assertThat(kept.find(query(kind, i)).hasErrors()).isFalse();
        }
        assertThat(used() - before).isLessThan(2L * QueryCache.MAX_BYTES);
        assertThat(kept.find(query(kind, 0)).hasErrors()).isFalse();
    }
}
