package org.restheart.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import graphql.schema.idl.RuntimeWiring;
import graphql.schema.idl.SchemaGenerator;
import graphql.schema.idl.SchemaParser;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What refusing a query costs, on the test's own thread: neither the compiler, nor the collector, nor other
/// tests count.
class HostileQueriesTest {
    /// Nanoseconds of CPU of code that is warm: three times what is promised, since tests run without the
    /// optimizing compiler. What grows without bounds takes minutes.
    private static final long ALLOWED = TimeUnit.MILLISECONDS.toNanos(300);

    /// How long the code may take to get warm on a machine that has much else to do.
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final QueryCache queries = queries(GraphqlConfig.Queries.DEFAULT);

    private static QueryCache queries(GraphqlConfig.Queries bounds) {
        return new QueryCache(
                new SchemaGenerator()
                        .makeExecutableSchema(
                                new SchemaParser().parse("type Doc { a: Int d: Doc } type Query { doc(a: Int): Doc }"),
                                RuntimeWiring.MOCKED_WIRING),
                bounds);
    }

    private static String times(int n, String text) {
        return text.repeat(n);
    }

    private static String each(int n, IntFunction<String> text) {
        return IntStream.range(0, n).mapToObj(text).collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{doc(a: 1){a}} # {{{[[[(((",
                "{doc(s: \"{{{{\\\"[[[[\"){a}}",
                "{doc(s: \"\"\"{{{{\\\"\"\"[[[[\"[[[[\n\"\"\"){a}}",
                "{doc(s: \"\" t: \"\"){a}}",
                "{doc(s: \"\\",
                "{doc(s: \"\"\"\\",
                "#",
                "\"\"\""
            })
    void brackets_and_digits_count_outside_of_texts_and_comments(String query) {
        var filled = query.replace("{{{{", times(1_000, "{")).replace("[[[[", times(1_000, "[9"));
        assertThat(QueryCache.DocumentBounds.refusal(
                        filled.replace("{{{[[[(((", times(1_000, "{[(") + times(1_000, "9"))))
                .isEmpty();
    }

    private static String query(String kind) {
        return switch (kind) {
            case "deep" -> "{doc" + times(200, "{d") + "{a}" + times(201, "}");
            case "less deep" ->
                "{doc" + times(150, "{d") + "{a}" + times(151, "}"); // the parser takes no more than 165
            case "very deep" -> "{doc" + times(5_000, "{d") + "{a}" + times(5_001, "}");
            case "wide" -> "{doc{" + times(14_000, "a ") + "}}";
            case "wider" -> "{doc{" + times(60_000, "a ") + "}}";
            case "aliases" -> "{" + each(2_000, i -> "x" + i + ": doc{a}") + "}";
            case "one name" -> "{" + each(1_500, i -> "x: doc(a: " + i + "){a}") + "}";
            case "a circle" -> "{doc{...f}} fragment f on Doc {d{...g}} fragment g on Doc {d{...f}}";
            case "a long circle" ->
                "{doc{...f0}} " + each(1_000, i -> "fragment f" + i + " on Doc {d{...f" + (i + 1) % 1_000 + "}}");
            case "fragments of fragments" ->
                "{doc{...f0}} "
                        + each(30, i -> "fragment f" + i + " on Doc {d{...f" + (i + 1) + " ...f" + (i + 1) + "}}")
                        + " fragment f30 on Doc {a}";
            case "a long chain" ->
                "{doc{...f0}} " + each(2_000, i -> "fragment f" + i + " on Doc {...f" + (i + 1) + "}")
                        + " fragment f2000 on Doc {a}";
            case "a megabyte of names" -> "{" + times(1 << 20, "a") + "}";
            case "a megabyte of fields" -> "{" + times(1 << 19, "a ") + "}";
            case "a megabyte of blanks" -> times(1 << 20, " ") + "{doc{a}}";
            case "a megabyte of comments" -> times(1 << 18, "#a\n#") + "\n{doc{a}}";
            case "digits" -> "{doc(a: " + times(100_000, "1") + "){a}}";
            case "negative digits" -> "{doc(a: -" + times(100_000, "1") + "){a}}";
            case "digits behind the point" -> "{doc(a: 1." + times(100_000, "1") + "){a}}";
            case "digits of an exponent" -> "{doc(a: 1e" + times(100_000, "1") + "){a}}";
            case "many long numbers" -> "{doc(a: [" + times(530, times(37, "1") + " ") + "]){a}}";
            case "lists of a type" -> "query($a: " + times(3_000, "[") + "Int" + times(3_000, "]") + "){doc(a: $a){a}}";
            case "brackets" -> "{doc(a: " + times(3_000, "[") + times(3_000, "]") + "){a}}";
            case "directives" -> "{doc{a " + times(3_000, "@a") + "}}";
            case "introspection" -> "{__schema{types{" + times(40, "fields{type{") + "name" + times(40, "}}") + "}}}";
            default -> throw new IllegalArgumentException(kind);
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"less deep", "wide", "aliases"})
    void bounds_that_are_zero_do_not_hold(String kind) {
        var unbounded = queries(new GraphqlConfig.Queries(true, 0, 0, 0, false, 15_000, 128 << 10));
        assertThat(queries.find(query(kind)).hasErrors()).isTrue();
        assertThat(unbounded.find(query(kind)).getErrors()).isNullOrEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "deep",
        "very deep",
        "wide",
        "wider",
        "aliases",
        "one name",
        "a circle",
        "a long circle",
        "fragments of fragments",
        "a long chain",
        "a megabyte of names",
        "a megabyte of fields",
        "a megabyte of blanks",
        "a megabyte of comments",
        "digits",
        "negative digits",
        "digits behind the point",
        "digits of an exponent",
        "many long numbers",
        "lists of a type",
        "brackets",
        "directives",
        "introspection"
    })
    @Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void bad_queries_are_refused_at_little_cost(String kind) {
        var query = query(kind);
        var threads = ManagementFactory.getThreadMXBean();
        long cheapest = Long.MAX_VALUE;
        long started = System.nanoTime();
        while (cheapest >= ALLOWED && System.nanoTime() - started < TIMEOUT_NANOS) {
            long before = threads.getCurrentThreadCpuTime();
            var entry = queries.find(query);
            cheapest = Math.min(cheapest, threads.getCurrentThreadCpuTime() - before);
            assertThat(entry.hasErrors()).isTrue();
        }
        assertThat(cheapest).isLessThan(ALLOWED);
    }
}
