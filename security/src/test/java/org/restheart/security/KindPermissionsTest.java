package org.restheart.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.security.Requests.bson;
import static org.restheart.security.Requests.send;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.restheart.data.Privilege;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.Via;
import org.restheart.http.parameter.OperationTable;
import org.restheart.security.acl.AclAuthorizer;
import org.restheart.security.acl.AclAuthorizer.FilePermissions;
import org.restheart.security.acl.Permission;
import org.restheart.security.acl.PermissionException;
import org.restheart.security.acl.PermissionReader;

/// What is said of all requests of a kind, compared with what is decided about single ones.
class KindPermissionsTest {
    private static final Account ADA =
            new Account("ada", List.of("r1", "r2"), bson("{_id: 'ada', team: 'books', teams: ['books', 'b'], n: 5}"));
    private static final Set<String> SPECIAL = Set.of("_size", "_meta", "*");

    private static Permission permission(String predicate, String mongo, String... roles) {
        try {
            return PermissionReader.ofFile(
                    "test",
                    new BsonDocument(
                                    "roles",
                                    new BsonArray(java.util.Arrays.stream(roles)
                                            .map(BsonString::new)
                                            .toList()))
                            .append("predicate", new BsonString(predicate))
                            .append("mongo", bson(mongo)));
        } catch (PermissionException e) {
            throw new AssertionError(predicate, e);
        }
    }

    private static SecurityFilter filter(List<Permission> permissions) {
        return Requests.policy(
                        List.of(_ -> new Authentication.Authenticated(ADA, Credentials.password("identity"))),
                        List.of(),
                        List.of(new AclAuthorizer(new FilePermissions(permissions), Optional.of("root"))))
                .securityFilter(true);
    }

    private static Caller caller(Account account) {
        return account == null ? Caller.ANONYMOUS : Caller.of(account);
    }

    private static Permitted ask(SecurityFilter filter, RequestKind kind, Account account) {
        var example = Requests.request(kind.method(), kind.example().raw()).with(caller(account));
        return filter.ask(example, kind);
    }

    private static boolean decides(SecurityFilter filter, Request request) {
        try {
            filter.judge(request, _ -> Response.status(204));
            return true;
        } catch (ProblemException _) {
            return false;
        }
    }

    private static RequestKind kind(Method method, String path) {
        return new RequestKind(
                method,
                java.util.Arrays.stream(path.substring(1).split("/"))
                        .<Segment>map(text -> text.equals("{}") ? new Segment.Unknown(SPECIAL) : new Segment.Name(text))
                        .toList(),
                Set.of(),
                true,
                Via.REST);
    }

    private static Decision answer(String predicate, RequestKind kind) {
        return ask(filter(List.of(permission(predicate, "{}", "r1"))), kind, ADA)
                .decision();
    }

    @Test
    void paths_are_decided_up_to_the_first_unknown_segment() {
        assertThat(answer("path-prefix('/books')", kind(Method.GET, "/books/{}")))
                .isEqualTo(Decision.ALWAYS);
        assertThat(answer("path('/books')", kind(Method.GET, "/books"))).isEqualTo(Decision.ALWAYS);
        assertThat(answer("path('/books')", kind(Method.GET, "/books/{}"))).isEqualTo(Decision.NEVER);
        assertThat(answer("path('/books/public')", kind(Method.GET, "/books/{}")))
                .isEqualTo(Decision.DEPENDS);
        assertThat(answer("path('/books/_size')", kind(Method.GET, "/books/{}")))
                .isEqualTo(Decision.NEVER);
        assertThat(answer("path-prefix('/users')", kind(Method.GET, "/books/{}")))
                .isEqualTo(Decision.NEVER);
        assertThat(answer("path-template('/{c}/{id}')", kind(Method.GET, "/books/{}")))
                .isEqualTo(Decision.ALWAYS);
        assertThat(answer("path-template('/{c}/')", kind(Method.GET, "/books"))).isEqualTo(Decision.DEPENDS);
        assertThat(answer("regex('^/b.*')", kind(Method.GET, "/books"))).isEqualTo(Decision.ALWAYS);
        assertThat(answer("regex('^/b.*')", kind(Method.GET, "/books/{}"))).isEqualTo(Decision.DEPENDS);
    }

    @Test
    void an_expression_that_no_path_below_a_collection_matches_opens_nothing_of_it() {
        for (var closed : List.of(
                "regex('^/b.*')",
                "regex('^/books/[0-9]+$')",
                "regex(pattern='/(books|authors)/.*', full-match=true)",
                "regex(pattern='/users', full-match=true)")) {
            assertThat(answer(closed, kind(Method.GET, "/users/{}"))).as(closed).isEqualTo(Decision.NEVER);
            assertThat(answer("not " + closed, kind(Method.GET, "/users/{}")))
                    .as(closed)
                    .isNotEqualTo(Decision.NEVER);
        }
        for (var open : List.of(
                "regex('^/users/[0-9]+$')",
                "regex('books')",
                "regex('books$')",
                "regex(pattern='/u.*/.', full-match=true)")) {
            assertThat(answer(open, kind(Method.GET, "/users/{}"))).as(open).isEqualTo(Decision.DEPENDS);
        }
    }

    @Test
    void conditions_on_what_is_unknown_depend_and_combine_as_kleene_says() {
        var kind = kind(Method.GET, "/books");
        assertThat(answer("qparams-contain(page)", kind)).isEqualTo(Decision.DEPENDS);
        assertThat(answer("qparams-contain(page) and method(POST)", kind)).isEqualTo(Decision.NEVER);
        assertThat(answer("qparams-contain(page) or method(GET)", kind)).isEqualTo(Decision.ALWAYS);
        assertThat(answer("not qparams-contain(page)", kind)).isEqualTo(Decision.DEPENDS);
        assertThat(answer("equals(@user.team, books)", kind)).isEqualTo(Decision.ALWAYS);
        assertThat(answer("equals(@request.body.a, books)", kind)).isEqualTo(Decision.DEPENDS);
        assertThat(answer("not in(value=@user.missing, array=a)", kind)).isEqualTo(Decision.NEVER);
        assertThat(answer("via(mcp)", kind)).isEqualTo(Decision.NEVER);
    }

    @Test
    void what_is_bound_of_a_known_path_is_known() {
        var own = "path-template('/runs/{of}') and equals(@user._id, ${of})";
        assertThat(answer(own, kind(Method.GET, "/runs/ada"))).isEqualTo(Decision.ALWAYS);
        assertThat(answer(own, kind(Method.GET, "/runs/bob"))).isEqualTo(Decision.NEVER);
        assertThat(answer(own, kind(Method.GET, "/runs/{}"))).isEqualTo(Decision.DEPENDS);
        assertThat(answer("regex('/runs/(.*)') and in(value=${1}, array=bob)", kind(Method.GET, "/runs/ada")))
                .isEqualTo(Decision.NEVER);
        var perhaps = "(qparams-contain(a) or path-template('/runs/{of}')) and not equals(@user._id, ${of})";
        assertThat(answer(perhaps, kind(Method.GET, "/runs/ada"))).isEqualTo(Decision.DEPENDS);
    }

    @Test
    void flags_are_evaluated_and_conjunctions_have_limits() {
        var managing = new RequestKind(
                Method.PUT, List.of(new Segment.Name("books")), Set.of(Privilege.MANAGEMENT), true, Via.REST);
        assertThat(answer("true", managing)).isEqualTo(Decision.NEVER);
        var rule = ask(
                        filter(List.of(permission(
                                "method(GET) and (qparams-whitelist(page, sort) and qparams-blacklist(np))",
                                "{readFilter: {owner: '@user._id'}}",
                                "r1"))),
                        kind(Method.GET, "/books"),
                        ADA)
                .possible()
                .getFirst();
        assertThat(rule.limits().allowsParameter("page")).isTrue();
        assertThat(rule.limits().allowsParameter("np")).isFalse();
        assertThat(rule.limits().allowsParameter("filter")).isFalse();
    }

    private static final List<String> ATOMS = List.of(
            "true",
            "false",
            "method(GET)",
            "method(GET, POST)",
            "path('/books')",
            "path('/books/b', '/a')",
            "path(@user.teams)",
            "path(@request.body.a, @user.teams)",
            "path-prefix('/books')",
            "path-prefix('/')",
            "path-prefix('/a/b')",
            "path-prefix('/books/_size')",
            "path-suffix('/b')",
            "path-suffix('books')",
            "path-suffix('books/')",
            "path-template('/{c}')",
            "path-template('/{c}/')",
            "path-template('/books/{id}')",
            "path-template('/{c}/b/*')",
            "path-template('/{c}/{id}') and equals(${id}, 'b')",
            "path-template('/{c}/{id}') and equals(${id}, @user.missing)",
            "path-template('/{id}/*')",
            "equals(${id}, 'b')",
            "in(value=${id}, array={a, b})",
            "regex('/(b)')",
            "regex(pattern='(a)', value='%{q,a}')",
            "equals(${1}, b)",
            "path-template(value='/{id}', match='%{q,a}')",
            "path-template(value='/{x}', match='/%u')",
            "regex('^/books$')",
            "regex('/books/?$')",
            "regex('b/.*/a')",
            "regex(pattern='a', value='%{q,a}')",
            "regex(pattern='ada', value='%u', full-match=true)",
            "equals(%m, GET)",
            "equals(%u, ada)",
            "equals(%U, '/books')",
            "equals(%R, '/books')",
            "equals(%{i,X}, y)",
            "equals(@user.team, books)",
            "equals(@user.missing, books)",
            "equals(@request.body.a, b)",
            "exists(%{q,a})",
            "exists(@user.team)",
            "contains(search=b, value=%R)",
            "contains(search=oo, value=@user.team)",
            "in(value=%u, array={ada, bob})",
            "in(value=@user.missing, array={a})",
            "in(value=%{q,a}, array={b})",
            "in(value=books, array=@user.teams)",
            "secure",
            "idempotent",
            "auth-required",
            "max-content-size(5)",
            "min-content-size(0)",
            "request-larger-than(3)",
            "qparams-contain(a)",
            "qparams-whitelist(a)",
            "qparams-blacklist(a)",
            "qparams-size(1)",
            "qparams-size(-1)",
            "bson-request-whitelist(a)",
            "bson-request-blacklist(a)",
            "bson-request-contains(a)",
            "bson-request-prop-equals(key=a, value=b)",
            "bson-request-array-contains(key=a, values={1})",
            "via(rest)",
            "via(mcp)",
            "action(find)");

    private static String predicate(Random random, int depth) {
        return switch (depth == 0 ? 3 : random.nextInt(4)) {
            case 0 -> "not (" + predicate(random, depth - 1) + ")";
            case 1 -> "(" + predicate(random, depth - 1) + " and " + predicate(random, depth - 1) + ")";
            case 2 -> "(" + predicate(random, depth - 1) + " or " + predicate(random, depth - 1) + ")";
            default -> "(" + ATOMS.get(random.nextInt(ATOMS.size())) + ")";
        };
    }

    private static <T> T one(Random random, List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private static List<Permission> permissions(Random random) {
        var permissions = new ArrayList<Permission>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            permissions.add(permission(
                    predicate(random, random.nextInt(3)),
                    "{allowManagementRequests: " + random.nextBoolean() + ", allowWriteMode: " + random.nextBoolean()
                            + "}",
                    one(random, List.of("r1", "r2", "r3", "$unauthenticated"))));
        }
        return permissions;
    }

    private static RequestKind kind(Random random) {
        var path = new ArrayList<Segment>();
        for (int i = random.nextInt(4); i > 0; i--) {
            path.add(
                    random.nextInt(3) == 0
                            ? new Segment.Unknown(random.nextBoolean() ? SPECIAL : Set.of())
                            : new Segment.Name(one(random, List.of("books", "a", "b", "_size"))));
        }
        var demands = EnumSet.noneOf(Privilege.class);
        if (random.nextInt(4) == 0) {
            demands.add(one(random, List.of(Privilege.MANAGEMENT, Privilege.WRITE_MODE)));
        }
        return new RequestKind(
                one(random, List.of(Method.GET, Method.POST, Method.PATCH, Method.DELETE)),
                path,
                demands,
                random.nextInt(4) > 0,
                Via.REST);
    }

    private static Request concrete(Random random, RequestKind kind, Account account, boolean slash) {
        var names = new ArrayList<String>();
        for (var segment : kind.path()) {
            names.add(
                    switch (segment) {
                        case Segment.Name(var text) -> text;
                        case Segment.Unknown(var except, var _) -> {
                            var possible = new HashSet<>(Set.of("a", "b", "books", "_size", "_Meta", "x/y", "é", "*"));
                            possible.removeIf(text -> except.stream().anyMatch(text::equalsIgnoreCase));
                            yield one(random, possible.stream().sorted().toList());
                        }
                    });
        }
        var path = org.restheart.http.RequestPath.of(names).raw() + (slash && !names.isEmpty() ? "/" : "");
        var query = one(random, List.of("", "", "?a=b", "?a=a&page=1", "?x=1", "?page=2&x"));
        var json = one(random, List.of("", "{a: 'b'}", "{a: [1, 2]}", "{b: 1}", "[]", "{", "{$set: {a: 1}}"));
        var request = send(kind.method(), path + query, json);
        if (!kind.data()) {
            request = request.with(org.restheart.http.attribute.Attributes.NONE);
        }
        if (random.nextBoolean()) {
            request = Requests.with(request, "X", one(random, List.of("y", "z")));
        }
        return request.with(
                        DataTarget.KEY,
                        new DataTarget(
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                ResourceKind.COLLECTION,
                                OperationTable.of(ResourceKind.COLLECTION, kind.method()),
                                kind.demands()))
                .with(caller(account));
    }

    @Test
    void what_is_said_of_a_kind_agrees_with_what_is_decided_about_each_of_its_requests() {
        var said = new EnumMap<Decision, Integer>(Decision.class);
        for (long seed : new long[] {1, new Random().nextLong()}) {
            var random = new Random(seed);
            for (int episode = 0; episode < 6_000; episode++) {
                var permissions = permissions(random);
                var filter = filter(permissions);
                var kind = kind(random);
                var account = random.nextInt(4) == 0 ? null : ADA;
                var permitted = ask(filter, kind, account);
                said.merge(permitted.decision(), 1, Integer::sum);
                for (int i = 0; i < 8; i++) {
                    boolean slash = random.nextInt(4) == 0;
                    var request = concrete(random, kind, account, slash);
                    boolean allowed = decides(filter, request);
                    boolean agrees = switch (permitted.decision()) {
                        case ALWAYS -> allowed || slash;
                        case NEVER -> !allowed;
                        case DEPENDS -> true;
                    };
                    assertThat(agrees)
                            .as(
                                    "seed %s, episode %s: %s said of %s, but %s for %s, of %s",
                                    seed,
                                    episode,
                                    permitted.decision(),
                                    kind,
                                    allowed,
                                    request.path().raw() + "?" + request.query().raw(),
                                    permissions.stream()
                                            .map(Permission::toString)
                                            .collect(Collectors.joining("\n")))
                            .isTrue();
                }
            }
        }
        assertThat(said).allSatisfy((_, times) -> assertThat(times).isGreaterThan(300));
        assertThat(said).containsOnlyKeys(Decision.values());
    }
}
