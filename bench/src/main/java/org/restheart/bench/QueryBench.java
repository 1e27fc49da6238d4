package org.restheart.bench;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.restheart.http.Query;

/// The query part of a request target.
@State(Scope.Benchmark)
public class QueryBench {
    public String text = "pagesize=5&page=6&filter=%7B%22group%22%3A%22g45%22%7D";

    @Benchmark
    public Query parse() {
        return Query.parse(text, 100);
    }
}
