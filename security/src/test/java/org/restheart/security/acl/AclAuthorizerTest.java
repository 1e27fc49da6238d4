package org.restheart.security.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.security.Requests.bson;
import static org.restheart.security.Requests.get;
import static org.restheart.security.Requests.request;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.data.Access;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Privilege;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.security.acl.AclAuthorizer.FilePermissions;

class AclAuthorizerTest {
    private static Permission file(String entry) {
        try {
            return PermissionReader.ofFile("test", bson(entry));
        } catch (PermissionException e) {
            throw new AssertionError(e);
        }
    }

    private static Optional<Access> fileGrant(Request request, Account account, String... entries) {
        var permissions = new ArrayList<Permission>();
        for (var entry : entries) {
            permissions.add(file(entry));
        }
        return new AclAuthorizer(new FilePermissions(permissions), Optional.of("admin")).authorize(request, account);
    }

    private static Account with(String... roles) {
        return new Account("ada", List.of(roles), bson("{_id: 'ada', team: {$oid: '000000000000000000000001'}}"));
    }

    private static BsonDocument readFilter(Optional<Access> grant) {
        return grant.flatMap(Access::readFilter).orElseThrow();
    }

    @Test
    void in_files_the_lower_priority_is_tried_first_and_the_later_of_equals() {
        var p1 = "{roles: ['r1'], predicate: \"path('/c')\", priority: 1, mongo: {readFilter: '{\"n\": 1}'}}";
        var p2 = "{roles: ['r1'], predicate: \"path('/c')\", priority: 2, mongo: {readFilter: {n: 2}}}";
        var p3 = "{roles: ['r1'], predicate: \"path('/c')\", priority: 1, mongo: {readFilter: {n: 3}}}";
        assertThat(readFilter(fileGrant(get("/c"), with("r1"), p2, p1))).isEqualTo(bson("{n: 1}"));
        assertThat(readFilter(fileGrant(get("/c"), with("r1"), p1, p3))).isEqualTo(bson("{n: 3}"));
    }

    @Test
    void the_order_of_roles_beats_priority() {
        var p1 = "{role: 'r1', predicate: \"path('/c')\", priority: 9, mongo: {readFilter: {n: 1}}}";
        var p2 = "{role: 'r2', predicate: \"path('/c')\", priority: 1, mongo: {readFilter: {n: 2}}}";
        assertThat(readFilter(fileGrant(get("/c"), with("r1", "r2"), p1, p2))).isEqualTo(bson("{n: 1}"));
        assertThat(readFilter(fileGrant(get("/c"), with("r2", "r1"), p1, p2))).isEqualTo(bson("{n: 2}"));
    }

    @Test
    void only_matching_roles_and_root_are_admitted() {
        var open = "{role: '$unauthenticated', predicate: 'true'}";
        assertThat(fileGrant(get("/c"), with(), open)).isEmpty();
        assertThat(fileGrant(get("/c"), null, open)).isPresent();
        assertThat(fileGrant(get("/c"), with("admin"))).contains(new Access.Root());
    }

    @Test
    void a_flag_that_is_not_granted_lets_the_search_go_on() {
        var management = request(Method.PUT, "/c")
                .with(
                        DataTarget.KEY,
                        new DataTarget(
                                Optional.of("db"),
                                Optional.of("c"),
                                Optional.empty(),
                                ResourceKind.COLLECTION,
                                Structure.CREATE,
                                Set.of(Privilege.MANAGEMENT)));
        var plain = "{role: 'r', predicate: 'true', priority: 1}";
        var allowed = "{role: 'r', predicate: 'true', priority: 2, mongo: {allowManagementRequests: true}}";
        assertThat(fileGrant(management, with("r"), plain)).isEmpty();
        assertThat(fileGrant(management, with("r"), plain, allowed)).isPresent();
    }

    @Test
    void variables_keep_their_type_and_stand_alone() {
        var entry = """
            {role: 'r', predicate: 'true', mongo: {
              mergeRequest: {team: '@user.team', none: '@user.none', text: 'x@user._id', by: '@user._id',
                             q: "@qparams['k']", list: ['@user._id'], roles: '%ROLES'},
              readFilter: {'_$or': [{'a::b': '@user._id'}]}}}\
            """;
        var grant = fileGrant(get("/c?k=v"), with("r"), entry).orElseThrow();
        assertThat(grant.mergeRequest().orElseThrow()).isEqualTo(bson("""
            {team: {$oid: '000000000000000000000001'}, none: null, text: 'x@user._id', by: 'ada',
             q: 'v', list: ['ada'], roles: ['r']}\
            """));
        assertThat(grant.readFilter().orElseThrow()).isEqualTo(bson("{$or: [{'a.b': 'ada'}]}"));
    }

    @Test
    void request_variables_name_what_the_request_aims_at() {
        var target = get("/c/a?x=1")
                .with(
                        DataTarget.KEY,
                        new DataTarget(
                                Optional.of("db"),
                                Optional.of("c"),
                                Optional.of(new org.bson.BsonString("a")),
                                ResourceKind.DOCUMENT,
                                Read.GET,
                                Set.of()));
        var entry = """
            {role: 'r', predicate: 'true', mongo: {readFilter: {d: '@request.db', i: '@request._id',
              u: '@request.userName', q: '@request.queryString', f: '@filter',
              m: '@mongoPermissions.allowBulkPatch', t: '@request.resourceType'}}}\
            """;
        assertThat(readFilter(fileGrant(target, with("r"), entry)))
                .isEqualTo(bson("{d: 'db', i: 'a', u: 'ada', q: '?x=1', f: {$eq: {}}, m: false, t: 'DOCUMENT'}"));
    }

    @Test
    void times_of_the_request_are_a_date_and_text_as_in_logs() {
        var entry = """
            {role: 'r', predicate: 'true', mongo: {readFilter: {e: '@request.epochTimeStamp',
              d: '@request.dateTime', q: '@request.queryString'}}}\
            """;
        var filter = readFilter(fileGrant(get("/c/a"), with("r"), entry));
        assertThat(filter.get("e").isDateTime()).isTrue();
        assertThat(filter.getDateTime("e").getValue() % 1000).isZero();
        assertThat(filter.getString("d").getValue())
                .matches("\\[\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d \\+0000]");
        assertThat(filter.getString("q").getValue()).isEmpty();
    }

    @Test
    void a_filter_on_a_variable_that_is_not_there_matches_nothing() {
        var entry = "{role: 'r', predicate: 'true', mongo: {readFilter: {a: 1, n: '@request.nope'}}}";
        assertThat(readFilter(fileGrant(get("/c/a"), with("r"), entry))).isEqualTo(bson("{_id: {$in: []}}"));
    }

    @Test
    void a_random_value_has_the_length_asked_for() {
        var entry = "{role: 'r', predicate: 'true', mongo: {mergeRequest: {a: '@rnd(33)', b: '@rnd(0)'}}}";
        var merge = fileGrant(get("/c"), with("r"), entry)
                .orElseThrow()
                .mergeRequest()
                .orElseThrow();
        assertThat(merge.getString("a").getValue()).matches("[0-9a-f]{10}");
        assertThat(merge.isNull("b")).isTrue();
    }

    @Test
    void malformed_permissions_are_refused_when_read() {
        for (var entry : List.of(
                "{predicate: 'true'}",
                "{role: 'a', roles: ['b'], predicate: 'true'}",
                "{roles: [], predicate: 'true'}",
                "{roles: [1], predicate: 'true'}",
                "{role: 'a'}",
                "{role: 'a', predicate: 'less-than(1, 2)'}",
                "{role: 'a', predicate: 'true', mongo: 5}",
                "{role: 'a', predicate: 'true', mongo: {readFilter: 5}}",
                "{role: 'a', predicate: 'true', mongo: {readFilter: 'no json'}}",
                "{role: 'a', predicate: 'true', mongo: {allowBulkPatch: 'yes'}}",
                "{role: 'a', predicate: 'true', mongo: {projectResponse: {a: 0, b: 1}}}",
                "{role: 'a', predicate: 'true', mongo: {projectResponse: {a: 'x'}}}")) {
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> PermissionReader.ofFile("x", bson(entry)))
                    .as(entry)
                    .isInstanceOf(PermissionException.class);
        }
    }
}
