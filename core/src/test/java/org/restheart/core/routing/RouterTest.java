package org.restheart.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.restheart.core.routing.Binding.Match;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.Response;
import org.restheart.http.Service;

class RouterTest {
    private record Named(String name) implements Service {
        @Override
        public Response handle(Request request) {
            return Response.status(200);
        }
    }

    private static Router.Route prefix(String uri) {
        return route(uri, uri, Match.PREFIX);
    }

    private static Router.Route route(String name, String uri, Match match) {
        var service = new Named(name);
        return new Router.Route(new Binding(service, uri, match, true, List.of()), service, List.of());
    }

    private static String found(Router router, String path) {
        return router.find(RequestPath.parse(path))
                .map(route -> route.binding().service().name())
                .orElse("nothing");
    }

    @Test
    void the_longest_prefix_wins() {
        var router = new Router(List.of(prefix("/"), prefix("/a/b"), prefix("/a")));
        assertThat(found(router, "/")).isEqualTo("/");
        assertThat(found(router, "/x/a")).isEqualTo("/");
        assertThat(found(router, "/a")).isEqualTo("/a");
        assertThat(found(router, "/a/x")).isEqualTo("/a");
        assertThat(found(router, "/a/b/c/d")).isEqualTo("/a/b");
    }

    @Test
    void prefixes_end_with_segments() {
        var router = new Router(List.of(prefix("/api")));
        assertThat(found(router, "/apis")).isEqualTo("nothing");
        assertThat(found(router, "/api/")).isEqualTo("/api");
        assertThat(found(router, "/")).isEqualTo("nothing");
    }

    @Test
    void every_spelling_of_a_path_finds_the_same_route() {
        var router = new Router(List.of(prefix("/"), prefix("/ping")));
        assertThat(found(router, "/%70ing")).isEqualTo("/ping");
        assertThat(found(router, "/ping;x=1")).isEqualTo("/ping");
        assertThat(found(router, "/ping%2Fa")).isEqualTo("/");
        assertThat(found(router, "//ping")).isEqualTo("/");
        assertThat(found(router, "/./ping")).isEqualTo("/");
    }

    @Test
    void an_exact_route_claims_its_path_alone() {
        var router = new Router(List.of(route("all", "/", Match.PREFIX), route("one", "/a", Match.EXACT)));
        assertThat(found(router, "/a")).isEqualTo("one");
        assertThat(found(router, "/a/b")).isEqualTo("all");
    }

    @Test
    void the_last_of_two_rivals_gets_the_path() {
        var router = new Router(List.of(route("first", "/a", Match.PREFIX), route("second", "/a/", Match.PREFIX)));
        assertThat(found(router, "/a/x")).isEqualTo("second");
    }
}
