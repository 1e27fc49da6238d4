package org.restheart.bench;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.restheart.http.Body;
import org.restheart.http.Connection;
import org.restheart.http.Fields;
import org.restheart.http.Lease;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.attribute.Attributes;
import org.restheart.security.predicate.Attempt;
import org.restheart.security.predicate.Predicate;
import org.restheart.security.predicate.PredicateException;
import org.restheart.security.predicate.PredicateParser;

/// The conditions of permissions, for a request to which they apply.
@State(Scope.Benchmark)
public class PredicateBench {
    private static final Account ADA =
            new Account("ada", List.of("user"), new BsonDocument("_id", new BsonString("ada")));

    /// The last one is a typical list: nine permissions for other collections before the one that applies.
    @Param({
        "path-prefix('/shop') and method(GET)",
        "path-template('/shop/{collection}/{id}') and equals(@user._id, ${id})",
        "regex(pattern='/shop/(.+)/ada', value=%R, full-match=true)",
        "in order"
    })
    public String condition = "";

    private final Request request = request("/shop/profiles/ada");
    private List<Predicate> rules = List.of();

    @Setup
    public void prepare() throws PredicateException {
        var texts = new ArrayList<String>();
        if (condition.equals("in order")) {
            for (var i = 0; i < 9; i++) {
                texts.add("path-prefix('/other-" + i + "') and method(GET)");
            }
        }
        texts.add(condition.equals("in order") ? "path-prefix('/shop') and method(GET)" : condition);
        var parsed = new ArrayList<Predicate>();
        for (var text : texts) {
            parsed.add(PredicateParser.parse(text));
        }
        rules = List.copyOf(parsed);
        if (!allowed()) {
            throw new IllegalStateException("does not apply: " + condition);
        }
    }

    @Benchmark
    public boolean allowed() {
        var attempt = new Attempt(request, ADA, true);
        for (var rule : rules) {
            attempt.forget();
            if (rule.test(attempt)) {
                return true;
            }
        }
        return false;
    }

    static Request request(String path) {
        return new Request(
                "bench",
                Method.GET,
                RequestPath.parse(path),
                Query.NONE,
                Fields.NONE,
                Body.EMPTY,
                new Connection(
                        "http",
                        "HTTP/1.1",
                        "localhost:8080",
                        new InetSocketAddress("127.0.0.1", 5555),
                        new InetSocketAddress("127.0.0.1", 8080)),
                Caller.ANONYMOUS,
                Attributes.NONE,
                Lease.CONSTANT,
                true);
    }
}
