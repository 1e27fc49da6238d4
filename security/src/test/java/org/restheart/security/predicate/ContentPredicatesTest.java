package org.restheart.security.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.security.Requests.get;
import static org.restheart.security.Requests.send;
import static org.restheart.security.predicate.PredicateTest.test;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Method;

/// What predicates say of the content of a request.
class ContentPredicatesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            bson-request-whitelist(title, a)  | {"title":1,"a.b":2}                  | true
            bson-request-whitelist(title, a)  | {"title":1,"$set":{"owner":2}}       | false
            bson-request-whitelist(title)     | {}                                   | true
            bson-request-whitelist()          | {"a":1}                              | false
            bson-request-whitelist(a)         | [{"a":1},{"b":1}]                    | false
            bson-request-whitelist(a)         | "text"                               | false
            bson-request-whitelist(a.b)       | {"a":[{"b":1},{"b":2}]}              | true
            bson-request-contains(title)      | [{"title":1},{"x":1}]                | false
            bson-request-contains(title)      | []                                   | false
            bson-request-contains(a.b)        | {"a":{"b":1}}                        | true
            bson-request-contains(a.b)        | {"a.b":1}                            | true
            bson-request-contains(a.b, c)     | {"$set":{"a.b":1},"c":1}             | true
            bson-request-contains(a.b, d)     | {"$set":{"a.b":1},"c":1}             | false
            bson-request-blacklist(owner)     | {"a":{"owner":1}}                    | true
            bson-request-blacklist(owner)     | {"owner":{"id":1}}                   | false
            bson-request-blacklist(a.owner)   | {"a":5}                              | false
            bson-request-blacklist(a.owner)   | {"a":{"x":1}}                        | true
            bson-request-blacklist(owner)     | {bad                                 | false
            bson-request-prop-equals(key=s, value='"draft"')  | {"s":"draft"}        | true
            bson-request-prop-equals(key=s, value='"draft"')  | {"s":"final"}        | false
            bson-request-prop-equals(key=n, value=1)          | {"n":1.0}            | true
            bson-request-prop-equals(key=a.b, value='{"c":1}') | {"a":{"b":{"c":1}}} | true
            bson-request-prop-equals(key=s, value=@user.team) | {"s":"red"}          | true
            bson-request-prop-equals(key=s, value=@user.none) | {"s":null}           | false
            bson-request-prop-equals(key=s, value='"a"')      | {"s":"a","$set":{"s":"b"}}   | false
            bson-request-prop-equals(key=s, value='"a"')      | {"s":"a","$unset":{"s":"b"}} | false
            bson-request-prop-equals(key=s, value='"a"')      | ["a"]                | false
            bson-request-array-contains(key=r, values={'"a"'}) | {"r":["b","a"]}     | true
            bson-request-array-contains(key=r, values={'"a"'}) | {"r":"a"}           | false
            bson-request-array-is-subset(key=roles, values={'"a"','"b"'}) | {"roles":["a"]} | true
            bson-request-array-is-subset(key=roles, values={'"a"','"b"'}) | {"roles":["c"]} | false
            bson-request-array-is-subset(key=roles, values={'"a"','"b"'}) | {"roles":[]}    | true
            bson-request-array-is-subset(key=roles, values={'"a"','"b"'}) | {}              | false
            bson-request-array-is-subset(key=t, values=@user.tenants)     | {"t":["x"]}     | true
            bson-request-array-is-subset(key=t, values=@user.tenants)     | {"t":["q"]}     | false
            equals(@request.body.a.b, 'x')    | {"a":{"b":"x"}}                      | true
            """)
    void looks_into_the_content(String predicate, String json, boolean expected) {
        assertThat(test(predicate, send(Method.PUT, "/c/a", json))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            equals(@request.body.m.t.id, 'red')  | POST | {"m":{"t.id":"red","t":[{"id":"blue"}]}}  | false
            equals(@request.body.m.t.id, 'red')  | POST | {"m":{"t.id":"red"}}                      | false
            equals(@request.body.m.t.id, 'red')  | POST | {"m.t":{"id":"red"}}                      | true
            equals(@request.body.m.t.id, 'red')  | PATCH | {"m.t.id":"red"}                         | true
            bson-request-prop-equals(key=m.t.id, value='"red"') | PATCH | {"$set":{"m":{"t.id":"red","t":[{"id":"blue"}]}}} | false
            not bson-request-prop-equals(key=s, value='"a"') | GET   |                              | true
            not bson-request-prop-equals(key=s, value='"a"') | POST  | {"s":"b"}                    | true
            not bson-request-prop-equals(key=s, value='"a"') | POST  | {"t":"a"}                    | true
            not bson-request-prop-equals(key=s, value='"a"') | POST  | [{"s":"a"}]                  | false
            not bson-request-prop-equals(key=s, value='"a"') | POST  | [{"t":"a"}]                  | true
            not bson-request-prop-equals(key=s, value='"a"') | PATCH | {"$set":{"s":"b"}}           | true
            not bson-request-prop-equals(key=s, value='"a"') | PATCH | {"$unset":{"s":""}}          | true
            not bson-request-prop-equals(key=s, value='"a"') | PATCH | {"$setOnInsert":{"s":"a"}}   | false
            not bson-request-prop-equals(key=s, value='"a"') | PATCH | {"$rename":{"x":"s"}}        | false
            not bson-request-prop-equals(key=s, value='"a"') | PATCH | [{"$set":{"s":"a"}}]         | false
            not bson-request-prop-equals(key=s, value='"a"') | PATCH | [{"$set":{"t":"a"}}]         | true
            not bson-request-prop-equals(key=s, value='"a"') | PATCH | [{"$replaceWith":"$x"}]      | false
            not bson-request-prop-equals(key=m.s, value=1)   | PATCH | {"m":{"x":1}}                | true
            not bson-request-prop-equals(key=m.s, value=1)   | PATCH | {"m":{"s":1}}                | false
            not bson-request-prop-equals(key=m.s, value=1)   | POST  | {"m":[{"s":1}]}              | false
            not equals(@request.body.s, 'a')                 | POST  | [{"s":"a"}]                  | false
            not equals(@request.body.s, 'a')                 | POST  | {"s":["a"]}                  | false
            equals(@request.body.s, 'a')                     | POST  | {"s":["a"]}                  | false
            not contains(search='a', value=@request.body.s)  | POST  | {"s":["b","a"]}              | false
            not equals(@request.body.s, 'a')                 | POST  | {"s":[]}                     | true
            not bson-request-prop-equals(key=s, value='"a"') | POST  | {"s":["b","a"]}              | false
            not bson-request-prop-equals(key=s, value='"a"') | POST  | {"s":["b"]}                  | true
            bson-request-prop-equals(key=s, value='["a"]')   | POST  | {"s":["a"]}                  | true
            not bson-request-array-contains(key=r, values={1}) | PATCH | {"$push":{"r":1}}          | false
            not bson-request-array-contains(key=r, values={'"a"'})   | POST | {"r":"a"}         | false
            not bson-request-array-contains(key=r, values={'"a"'})   | POST | {"r":"b"}         | true
            not bson-request-array-contains(key=r, values={'"a"'})   | POST | {"s":"a"}         | true
            not bson-request-array-is-subset(key=r, values={'"a"'})  | POST | {"r":"a"}         | false
            bson-request-array-is-subset(key=r, values={'"a"'})      | POST | {"r":"a"}         | false
            not exists(@request.body.s)          | POST  | {"s":{"x":1}}                            | false
            not exists(@request.body.s)          | POST  | {"s":[{"x":1}]}                          | false
            not exists(@request.body.s)          | POST  | {"s":[]}                                 | true
            not exists(@request.body.s)          | POST  | {"s":null}                               | true
            not exists(@request.body.s)          | POST  | {"t":1}                                  | true
            exists(@request.body.s)              | POST  | {"s":[{},"a"]}                           | true
            exists(@request.body.s)              | POST  | {"s":{"x":1}}                            | false
            not bson-request-contains(f)         | POST  | {"x":1}                                  | true
            not bson-request-contains(f)         | GET   |                                          | true
            not bson-request-contains(f, g)      | POST  | {"f":1}                                  | true
            not bson-request-contains(f)         | POST  | [{"f":1},{}]                             | false
            not bson-request-contains(f)         | POST  | [{"x":1},{}]                             | true
            not bson-request-contains(f)         | PATCH | [{"$replaceWith":"$x"}]                  | false
            not bson-request-blacklist(f)        | PATCH | [{"$replaceWith":"$x"}]                  | false
            not bson-request-blacklist(f)        | POST  | [{"f":1},{}]                             | true
            not bson-request-whitelist(f)        | PATCH | [{"$replaceWith":"$x"}]                  | false
            not bson-request-whitelist(f)        | PATCH | {"g":1}                                  | true
            bson-request-contains(f.g.h)         | POST  | {"f":{"g.h":1}}                          | false
            not bson-request-contains(f.g.h)     | POST  | {"f":{"g.h":1}}                          | false
            not bson-request-contains(f.g.h)     | PATCH | {"$set":{"f":{"g.h":1}}}                 | false
            bson-request-contains(f.g.h)         | POST  | {"f.g.h":1}                              | true
            bson-request-contains(f.g.h)         | PATCH | {"$set":{"f.g":{"h":1}}}                 | true
            bson-request-whitelist(f.g.h)        | POST  | {"f":{"g.h":1}}                          | false
            bson-request-whitelist(f.g.h)        | POST  | [{"f":{"g":{"h":1}}}]                    | true
            bson-request-blacklist(f.g.h)        | POST  | {"f":{"g.h":1}}                          | false
            not (bson-request-contains(f) or method(GET))  | POST | [{"f":1},{}]                    | false
            not (bson-request-contains(f) and method(GET)) | POST | [{"f":1},{}]                    | true
            bson-request-prop-equals(key=s, value='"a"') or method(POST) | POST | [{"s":"a"}]       | true
            """)
    void what_the_content_does_not_tell_is_neither_true_nor_false(
            String predicate, Method method, String json, boolean expected) {
        assertThat(test(predicate, send(method, "/c/a", json == null ? "" : json)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "DELETE"})
    void content_that_is_not_written_says_nothing(Method method) {
        var request = send(method, "/c/a", "{\"s\":\"a\"}");
        assertThat(test("equals(@request.body.s, 'a')", request)).isFalse();
        assertThat(test("bson-request-prop-equals(key=s, value='\"a\"')", request))
                .isFalse();
        assertThat(test("bson-request-contains(s)", request)).isFalse();
        assertThat(test("bson-request-blacklist(s) and bson-request-whitelist(t)", request))
                .isTrue();
    }

    @Test
    void the_filter_of_an_upsert_tells_nothing_for_sure() {
        for (var query : List.of("?wm=upsert&", "?writeMode=UPSERT&", "?wm=insert&writeMode=upsert&")) {
            for (var filter : List.of("{\"s\":\"a\"}", "{\"$and\":[{\"s\":{\"$eq\":\"a\"}}]}")) {
                for (var content : List.of("{}", "{\"x\":1}", "")) {
                    var request = send(
                            Method.PATCH,
                            "/c/a" + query + "filter=" + URLEncoder.encode(filter, StandardCharsets.UTF_8),
                            content);
                    assertThat(test("not bson-request-prop-equals(key=s, value='\"a\"')", request))
                            .isFalse();
                    assertThat(test("not equals(@request.body.s, 'a')", request))
                            .isFalse();
                    assertThat(test("not bson-request-contains(s)", request)).isFalse();
                    assertThat(test("not bson-request-contains(t)", request)).isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            9                         | 9
            {"$numberDecimal":"9.0"}  | 9
            {"$numberDecimal":"9E+1"} | 90
            {"$numberDecimal":"-0"}   | 0
            -0.0                      | 0
            {"$numberDecimal":"0.50"} | 0.5
            0.5                       | 0.5
            0.1                       | 0.1
            {"$numberDecimal":"0.1"}  | 0.1
            9.313225746154785E-10     | 0.0000000009313225746154785
            {"$numberDecimal":"9.31322574615478515625E-10"} | 0.0000000009313225746154785
            9007199254740992.0        | 9007199254740992
            1E20                      | 100000000000000000000
            {"$numberDecimal":"NaN"}  | NaN
            {"$numberDouble":"Infinity"} | Infinity
            {"$numberDecimal":"-Infinity"} | -Infinity
            """)
    void numbers_that_are_equal_are_the_same_text(String number, String text) {
        var request = send(Method.POST, "/c", "{\"n\":" + number + "}");
        assertThat(test("equals(@request.body.n, '" + text + "')", request)).isTrue();
        assertThat(test("not equals(@request.body.n, '" + text + "')", request)).isFalse();
        assertThat(test("not in(value=@request.body.n, array={'" + text + "'})", request))
                .isFalse();
    }

    @Test
    void content_predicates_hold_without_content_only_where_content_is_bson() {
        var data = send(Method.GET, "/c", "");
        assertThat(test("bson-request-blacklist(a)", data)).isTrue();
        assertThat(test("bson-request-whitelist(a)", data)).isTrue();
        assertThat(test("bson-request-contains(a)", data)).isFalse();
        assertThat(test("bson-request-blacklist(a)", get("/metrics"))).isFalse();
    }

    @Test
    void targets_of_operators_and_pipelines_are_seen() {
        assertThat(test(
                        "bson-request-blacklist(owner)",
                        send(Method.PATCH, "/c/a", "{\"$rename\":{\"status\":\"owner\"}}")))
                .isFalse();
        assertThat(test(
                        "bson-request-blacklist(owner)",
                        send(Method.PATCH, "/c/a", "[{\"$addFields\":{\"owner\":1}}]")))
                .isFalse();
        assertThat(test(
                        "bson-request-whitelist(title)",
                        send(Method.PATCH, "/c/a", "{\"$rename\":{\"title\":\"owner\"}}")))
                .isFalse();
        assertThat(test("bson-request-blacklist(roles)", send(Method.PATCH, "/c/a", "{\"roles.0\":1}")))
                .isFalse();
        assertThat(test("bson-request-blacklist(roles)", send(Method.PATCH, "/c/a", "{\"$set\":{\"roles.$[]\":1}}")))
                .isFalse();
        assertThat(test("bson-request-blacklist(roles)", send(Method.PATCH, "/c/a", "{\"$push\":{\"roles\":\"x\"}}")))
                .isFalse();
        for (var stage : List.of(
                "{\"$replaceRoot\":{\"newRoot\":\"$x\"}}",
                "{\"$replaceWith\":\"$x\"}",
                "{\"$project\":{\"title\":1}}",
                "{\"$project\":{\"owner\":0}}",
                "{\"$unset\":\"owner\"}",
                "{\"$unset\":[\"a\",\"owner\"]}",
                "{\"$set\":{\"owner\":{\"$literal\":1}}}",
                "{\"$match\":{}}")) {
            assertThat(test("bson-request-blacklist(owner)", send(Method.PATCH, "/c/a", "[" + stage + "]")))
                    .as(stage)
                    .isFalse();
            assertThat(test("bson-request-whitelist(title)", send(Method.PATCH, "/c/a", "[" + stage + "]")))
                    .as(stage)
                    .isFalse();
        }
        assertThat(test("bson-request-whitelist(title)", send(Method.PATCH, "/c/a", "[{\"$set\":{\"title\":\"x\"}}]")))
                .isTrue();
    }
}
