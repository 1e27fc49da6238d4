package org.restheart.core.noninterference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Names, numbers of them, indexes and embedded documents are the same, with their headers,
/// tags and `304`, of databases that differ in what is hidden only.
@WithMongo
class NamesNoninterferenceTest {
    private static final String EMBED = "/shown?embed=%7B%22parts%22:%7B%22limit%22:1%7D%7D";

    private static TestGateway gateway(TestMongo mongo) {
        var gateway = TestGateway.start(mongo, "");
        gateway.addUsers("some");
        gateway.permit(
                "some",
                "path('/') or path('/_size') or path-prefix('/shown') or path-prefix('/parts')",
                "{readFilter: {owner: 'some'}, projectResponse: {secret: 0}}");
        gateway.insert("shown", "{_id: 1, owner: 'some', secret: 1}");
        gateway.insert("parts", "{_id: 1, of: 1, owner: 'some'}");
        gateway.insert("_properties", """
            {_id: '_properties.shown', _etag: {$oid: '65f0c0ffee0000000000aaaa'}, rels: [{rel: 'parts',
             type: 'ONE_TO_MANY', role: 'INVERSE', 'target-coll': 'parts', 'ref-field': 'of'}]}\
            """, "{_id: '_properties', _etag: {$oid: '65f0c0ffee0000000000aaab'}}");
        return gateway;
    }

    private static void hide(TestGateway gateway) {
        gateway.insert("shown", "{_id: 2, owner: 'other'}");
        gateway.insert("parts", "{_id: 2, of: 1, owner: 'other'}", "{_id: 3, of: 1}");
    }

    private static String whole(HttpResponse<String> response) {
        var headers = new HashMap<>(response.headers().map());
        headers.remove("date");
        return response.statusCode() + " " + new TreeMap<>(headers) + "\n" + response.body();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/?pagesize=1&page=2",
                "/_size",
                "/shown/_indexes",
                "/shown",
                "/shown/_size",
                EMBED,
                "/hidden"
            })
    void what_is_hidden_changes_no_byte_and_no_tag(String target, TestMongo mongo) {
        try (var less = gateway(mongo);
                var more = gateway(mongo)) {
            hide(more);
            var expected = less.user("some").get(target);
            assertThat(whole(more.user("some").get(target))).isEqualTo(whole(expected));
            var tag = expected.headers().firstValue("ETag");
            assertThat(tag.isPresent()).isEqualTo(expected.statusCode() == 200);
            for (var gateway : List.of(less, more)) {
                tag.ifPresent(known -> assertStatus(
                        304, gateway.user("some").with("If-None-Match", known).get(target)));
            }
        }
    }
}
