package org.restheart.security.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.security.Requests.bson;
import static org.restheart.security.Requests.get;
import static org.restheart.security.Requests.request;
import static org.restheart.security.Requests.send;
import static org.restheart.security.Requests.with;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.Account;

class PredicateTest {
    private static final Account ADA = account("ada", "{_id: 'ada', team: 'red', tenants: ['x', 'y'], age: 5.0}");

    private static Account account(String name, String properties) {
        return new Account(name, List.of("editor"), bson(properties));
    }

    private static boolean test(String predicate, Request request, Account account) {
        try {
            return PredicateParser.parse(predicate).test(new Attempt(request, account, true));
        } catch (Unanswerable | ProblemException _) {
            return false;
        } catch (PredicateException e) {
            throw new AssertionError(e);
        }
    }

    static boolean test(String predicate, Request request) {
        return test(predicate, request, ADA);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        path('/a')                        | /a       | true
        path('/a')                        | /a/      | true
        path('/a')                        | /a//     | true
        path('/a/')                       | /a       | true
        path('/a')                        | //a      | false
        path('/a')                        | /A       | false
        path('/a')                        | /%61     | true
        path('/a')                        | /a;x=1   | true
        path('/a')                        | /a%20    | false
        path('/a')                        | /a%2Fb   | false
        path('/a%2Fb')                    | /a%2Fb   | true
        path('/a%2Fb')                    | /a%252Fb | false
        path({'/b', '/a'})                | /a       | true
        path[/a]                          | /a       | true
        path-prefix('/a')                 | /a/b     | true
        path-prefix('/a')                 | /ab      | false
        path-prefix('/')                  | /x/y     | true
        path-prefix(path='/a')            | /a       | true
        path-suffix('.png')               | /a/b.png | true
        path-template('/{x}')             | /a       | true
        path-template('/{x}')             | /a/      | true
        path-template('/{x}')             | /a/b     | false
        path-template('/{x}')             | /a//     | false
        not path-template('/{x}')         | /a//     | false
        path-template('/a/{x}')           | /a/      | true
        path-template('/a/*')             | /a/      | true
        path-template('/a/*')             | /a/b/c   | true
        path-template('/a/*')             | /a       | false
        path-template('/a/{*}')           | /a/b     | true
        path-template('/a/{x}/')          | /a/b/    | true
        path-template('/a/{x}/')          | /a/b     | false
        regex('/a')                       | /x/a/b   | true
        regex(pattern='/a', full-match=true) | /x/a  | false
        regex(pattern='/A', case-sensitive=false) | /a | true
        method(GET, PUT)                  | /        | true
        method(value={'post'})            | /        | false
        equals('a', 'a')                  | /        | true
        equals('a', 'b')                  | /        | false
        equals('a')                       | /        | true
        equals(%m, 'GET')                 | /        | true
        equals(%{METHOD}, GET)            | /        | true
        equals(%u, 'ada')                 | /        | true
        equals(%a, '10.1.2.3')            | /        | true
        equals(%{q,p}, '1 2')             | /?p=1+2  | true
        equals('/t/${x}', '/t/a') or path-template('/{x}') and equals('/t/${x}', '/t/a') | /a | true
        contains(search={'b', 'c'}, value=%R) | /abc | true
        exists(%{q,p})                    | /?p=1    | true
        exists(%{q,p})                    | /?p      | false
        exists(%{q,p})                    | /        | false
        secure                            | /        | false
        idempotent and auth-required      | /        | true
        not true or true                  | /        | true
        not (true or true)                | /        | false
        false and false or true           | /        | true
        true or false and false           | /        | true
        not not true()                    | /        | true
        max-content-size(0)               | /        | true
        request-larger-than(size=0)       | /        | false
        qparams-whitelist()               | /c       | true
        qparams-whitelist()               | /c?page=1 | false
        qparams-contain(page) and qparams-blacklist(filter) | /c?page=1 | true
        qparams-contain(page) and qparams-blacklist(filter) | /c?page=1&filter={} | false
        qparams-size(1)                   | /c?a=1&a=2 | true
        regex(pattern='/t/(.*?)', full-match=true) and equals(%u, ${1}) | /t/ada | true
        regex(pattern='/t/(.*?)', full-match=true) and equals(%u, ${1}) | /t/bob | false
        path-prefix('/a') and equals(${remaining}, '/b/c') | /a/b/c | true
        path-template('/{t}') and in(value=${t}, array=@user.tenants) | /x | true
        path-template('/{t}') and in(value=${t}, array=@user.tenants) | /z | false
        path-template('/{t}') and in(value=${t}, array=@user.none)    | /x | false
        not in(value=${t}, array={'x'})   | /x       | false
        equals(@user.age, '5')            | /        | true
        equals(@user.tenants, 'x')        | /        | false
        """)
    void decides(String predicate, String target, boolean expected) {
        assertThat(test(predicate, get(target))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        not path-prefix('/c/_aggrs')            | /c/_AGGRS/all                      | false
        not path-prefix('/c/_aggrs')            | /c/_Aggrs                          | false
        not path-prefix('/c/_aggrs')            | /c/b                               | true
        not path('/c/507f1f77bcf86cd799439011') | /c/507F1F77BCF86CD799439011        | false
        path('/c/507F1F77BCF86CD799439011')     | /c/507F1F77BCF86CD799439011        | true
        path('/c/_aggrs')                       | /c/_AGGRS                          | false
        not path('/p.files/a/binary')           | /p.files/a/BINARY                  | false
        not path-suffix('/b0')                  | /c/b0/                             | false
        not equals(%R, '/c/b0')                 | /c/b0/                             | false
        not equals(%U, '/c/b0')                 | /c/%620                            | false
        not regex(pattern='^/c/b0$', value=%R)  | /c/b0//                            | false
        not contains(search='/_size', value=%R) | /c/_SIZE                           | false
        not regex(pattern='^/c/b0$', value=%R)  | /c/b1//                            | true
        path-suffix('/')                        | /c/b0/                             | true
        regex('^/c/.*$')                        | /c/                                | true
        path-template('/c/{id}') and not equals(${id}, '507f1f77bcf86cd799439011') | /c/507F1F77BCF86CD799439011 | false
        path-template('/c/{id}') and not equals(${id}, '507f1f77bcf86cd799439011') | /c/B/     | true
        not (path-template('/c/{id}') and equals(${id}, '507f1f77bcf86cd799439011')) | /c/507F1F77BCF86CD799439011 | false
        path-prefix('/c') and not equals(${remaining}, '/_meta') | /c/_META/         | false
        not contains(value=%q, search='page')   | /c?%70age=1                        | false
        not contains(value=%q, search='page')   | /c?p=1                             | true
        not contains(value=%q, search='a b')    | /c?a=%61+b                         | false
        not contains(value=%q, search='a:1')    | /c?x=%61%3A1                       | false
        not contains(value=%q, search='%22a%22:1') | /c?x=%22%61%22%3a1              | false
        not contains(value=%q, search='a%3A1')  | /c?x=a:1                           | false
        not regex(pattern='^page=1$', value=%{BARE_QUERY_STRING}) | /c?pag%65=1      | false
        not equals(%{QUERY_STRING}, '?page=1')  | /c?page=%31&                       | false
        not (path('/c/_size') and contains(value=%q, search='page')) | /c/_SIZE?%70age=1 | false
        not (path('/c/_SIZE') and contains(value=%q, search='page')) | /c/_SIZE?%70age=1 | false
        not (path('/c/_size') and contains(value=%q, search='page')) | /c/_SIZE?page=1 | false
        contains(value=%q, search='page')       | /c?%70age=1                        | false
        """)
    void nothing_is_not_so_in_another_spelling_only(String predicate, String target, boolean expected) {
        assertThat(test(predicate, get(target))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        equals(%{q,wm}, 'insert')     | ?wm=insert&writeMode=upsert | false
        equals(%{q,wm}, 'insert')     | ?wm=insert&wm=upsert        | true
        not equals(%{q,wm}, 'upsert') | ?writeMode=upsert           | false
        equals(%{q,writeMode}, 'insert') | ?wm=insert               | true
        qparams-blacklist(wm)         | ?writeMode=upsert           | false
        qparams-blacklist(sort)       | ?sort_by=a                  | false
        qparams-blacklist(sort_by)    | ?sort=a                     | false
        not qparams-contain(sort)     | ?sort_by=a                  | false
        qparams-whitelist(sort)       | ?sort=a&page=1              | false
        equals(%{q,keys}, 'a')        | ?keys=a                     | true
        equals(%{q,keys}, 'a')        | ?keys=a&keys=b              | false
        in(value=%{q,keys}, array={'a', 'b'}) | ?keys=a&keys=b      | false
        not equals(%{q,sort}, 'b')    | ?sort=a&sort=b              | false
        exists(%{q,sort})             | ?sort=a&sort=b              | true
        not contains(value=%{q,filter}, search='hid') | ?filter={_id:3}&filter={hid:3} | false
        equals(%{q,filter}, 'a')      | ?filter=a&filter=b          | false
        equals(%{q,filter}, 'a')      | ?filter=a&filter=a          | true
        equals(%{q,hint}, 'a')        | ?hint=a&hint=b              | false
        not equals(%{q,shardkey}, 'b') | ?shardkey=a&shardkey=b     | true
        not equals(%{q,page}, '2')    | ?page=1&page=2              | true
        """)
    void parameters_have_one_name_and_one_value(String predicate, String query, boolean expected) {
        assertThat(test(predicate, send(Method.GET, "/c" + query, ""))).isEqualTo(expected);
    }

    @Test
    void parameters_of_other_services_have_only_their_own_names() {
        assertThat(test("qparams-blacklist(sort) and not equals(%{q,sort}, 'a')", get("/x?sort_by=a")))
                .isTrue();
    }

    /// A service behind a proxy may use another of them than the first.
    @Test
    void of_several_different_values_nothing_is_said() {
        var one = with(with(get("/x?p=user"), "X-Role", "user"), "Cookie", "role=user");
        var other = with(with(get("/x?p=user&p=admin"), "X-Role", "user"), "Cookie", "role=user; a=1");
        var several = with(with(other, "X-Role", "admin"), "Cookie", "role=admin");
        var equal = with(with(get("/x?p=user&p=user"), "X-Role", "user"), "Cookie", "role=user; role=user");
        equal = with(equal, "X-Role", "user");
        for (var operand : List.of("%{q,p}", "%{i,X-Role}", "%{c,role}")) {
            for (var wanted : List.of("equals(#, 'user')", "not equals(#, 'admin')", "in(#, {'user'})")) {
                var predicate = wanted.replace("#", wanted.startsWith("in") ? "value=" + operand : operand)
                        .replace(", {", ", array={");
                assertThat(test(predicate, one)).as(predicate).isTrue();
                assertThat(test(predicate, equal)).as(predicate).isTrue();
                assertThat(test(predicate, several)).as(predicate).isFalse();
            }
            assertThat(test("exists(" + operand + ")", several)).isTrue();
        }
        assertThat(test("path('/x') or equals(%{i,X-Role}, 'user')", several)).isTrue();
    }

    @Test
    void lines_of_a_list_are_one_value() {
        var request = with(with(get("/x"), "Accept", "text/html"), "accept", "image/png");
        assertThat(test("contains(value=%{i,ACCEPT}, search='image/png')", request))
                .isTrue();
        assertThat(test("not contains(value=%{i,Accept}, search='image/png')", request))
                .isFalse();
        assertThat(test("equals(%{i,Accept}, 'text/html, image/png')", request)).isTrue();
        var crumbs = with(with(get("/x"), "cookie", "a=1"), "cookie", "b=2");
        assertThat(test("equals(%{i,Cookie}, 'a=1; b=2')", crumbs)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "path",
                "path()",
                "path('/a'",
                "path('/a)",
                "path('/a')) ",
                "path('/a']",
                "path('/a') AND method(GET)",
                "path('/a') && method(GET)",
                "path('/a') else method(GET)",
                "less-than(%{q,a}, 5)",
                "path(paths='/a')",
                "path(path='/a', path='/b')",
                "method(GTE)",
                "regex('(')",
                "equals(%{nosuch}, 'a')",
                "equals(@now, 'a')",
                "equals(@user, 'a')",
                "equals(@qparams['a'], 'a')",
                "regex(@user.pattern)",
                "path-template('/a{b}')",
                "qparams-contain()",
                "qparams-size(x)",
                "bson-request-blacklist()",
                "in(a, b)",
                "secure('x')",
                "true false"
            })
    void refuses_what_does_not_parse(String text) {
        assertThatThrownBy(() -> PredicateParser.parse(text)).isInstanceOf(PredicateException.class);
    }

    @Test
    void refuses_deep_nesting_instead_of_exhausting_the_stack() {
        assertThatThrownBy(() -> PredicateParser.parse("(".repeat(30_000)))
                .isInstanceOf(PredicateException.class)
                .hasMessageContaining("nested deeper than 100 levels");
        assertThatThrownBy(() -> PredicateParser.parse("not ".repeat(10_000) + "true"))
                .isInstanceOf(PredicateException.class);
    }

    @Test
    void a_regular_expression_that_backtracks_without_end_does_not_apply() {
        assertThat(test("not regex(pattern='(a|aa)+\\1b', value=%{q,v})", get("/?v=" + "a".repeat(60))))
                .isFalse();
    }

    @Test
    void a_query_string_is_read_by_regular_expressions_also_where_its_percent_encoding_is_long() {
        var request = get("/?v=" + ",".repeat(1_500));
        assertThat(test("not regex(pattern=secret, value=%q)", request)).isTrue();
        assertThat(test("not regex(pattern=',,', value=%q)", request)).isFalse();
    }

    @Test
    void a_regular_expression_that_exhausts_the_stack_does_not_apply() throws Exception {
        var request = get("/?v=" + "ab".repeat(3_000));
        var applies = new AtomicReference<Boolean>();
        var thread = new Thread(
                null, () -> applies.set(test("not regex(pattern='(a|b)*c', value=%{q,v})", request)), "", 1 << 17);
        thread.start();
        thread.join();
        assertThat(applies).hasValue(false);
    }

    @Test
    void values_are_bound_and_never_parsed_as_text_of_the_rule() {
        var own = "path-template('/c/{id}') and equals(@user._id, ${id})";
        var escaping = account("ada\\", "{_id: 'ada\\\\'}");
        assertThat(test(own, get("/c/ada"), escaping)).isFalse();
        for (var name : List.of("ada\\", "o'neil", "a\"b", "a$1", "a)", "a/b", "${id}", "@user._id", "%u")) {
            var account = new Account(name, List.of(), new org.bson.BsonDocument("_id", new org.bson.BsonString(name)));
            var path = "/c/" + java.net.URLEncoder.encode(name, java.nio.charset.StandardCharsets.UTF_8);
            assertThat(test(own, get(path), account)).as(name).isTrue();
            assertThat(test(own, get("/c/ada"), account)).as(name).isFalse();
        }
        assertThat(test(own, get("/c/@user._id"), null)).isFalse();
        assertThat(test(own, get("/c/a%252Fb"), account("a/b", "{_id: 'a/b'}"))).isFalse();
        assertThat(test("equals(@request.body.kind, %{q,k})", send(Method.POST, "/c?k=@request.body.kind", "{}")))
                .isFalse();
        assertThat(test("path-template('/{x}') and equals(@user.arr, ${x})", get("/@user.arr")))
                .isFalse();
        assertThat(test("equals(@user._id, ${id}) or equals(@user.sub, %u)", get("/"), account("s", "{sub: 's'}")))
                .isTrue();
    }

    @Test
    void missing_values_are_not_equal() {
        assertThat(test("equals(%{q,a}, %{i,X-A})", get("/"))).isFalse();
        assertThat(test("not equals(@user.none, 'x')", get("/"))).isTrue();
        assertThat(test("equals(%{q,a}, %{i,X-A})", with(get("/?a=1"), "X-A", "1")))
                .isTrue();
    }

    @Test
    void bindings_do_not_reach_the_next_rule() throws PredicateException {
        var attempt = new Attempt(request(Method.GET, "/a"), ADA, true);
        assertThat(PredicateParser.parse("path-template('/{x}')").test(attempt)).isTrue();
        attempt.forget();
        assertThat(PredicateParser.parse("equals(${x}, 'a')").test(attempt)).isFalse();
    }
}
