package org.restheart.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Connection;
import org.restheart.http.RequestPath;
import org.restheart.rest.resource.Mounts.Located;
import org.restheart.rest.resource.Mounts.Mount;

class MountsTest {
    private static final Mounts EVERYTHING = new Mounts("/", List.of(new Mount("*", "/")));

    private static Optional<Located> resolve(Mounts mounts, String path, String host) {
        var address = new InetSocketAddress("127.0.0.1", 8080);
        return mounts.resolve(RequestPath.parse(path), new Connection("http", "HTTP/1.1", host, address, address));
    }

    private static Optional<Located> resolve(Mounts mounts, String path) {
        return resolve(mounts, path, "localhost:8080");
    }

    private static String meaning(Mounts mounts, String path) {
        return resolve(mounts, path).map(Located::path).map(MountsTest::spell).orElse("nothing");
    }

    private static String spell(ResourcePath path) {
        return path.kind() + " " + path.db() + " " + path.collection() + " " + path.name();
    }

    @ParameterizedTest
    @CsvSource({
        "/restheart, /, /, DB restheart null null",
        "/restheart, /, /c, COLLECTION restheart c null",
        "/restheart, /, /c/1, DOCUMENT restheart c 1",
        "/restheart, /, /_size, DB_SIZE restheart null null",
        "/restheart, /, /_meta, DB_META restheart null null",
        "*, /, /, ROOT null null null",
        "*, /, /db/c/1, DOCUMENT db c 1",
        "*, /data, /data, ROOT null null null",
        "*, /data, /data/db/c, COLLECTION db c null",
        "*, /data, /database, nothing",
        "*, /data, /, nothing",
        "/shop, /api, /api, DB shop null null",
        "/shop, /api, /api/orders, COLLECTION shop orders null",
        "/shop, /api, /apis, nothing",
        "/shop/orders, /o, /o, COLLECTION shop orders null",
        "/shop/orders, /o, /o/1, DOCUMENT shop orders 1",
        "/shop/orders, /o, /o/_meta, COLLECTION_META shop orders null",
        "/shop/orders, /o, /o/_aggrs/x, AGGREGATION shop orders x",
        "/shop/orders/cfg, /cfg, /cfg, DOCUMENT shop orders cfg",
        "shop/orders/, /o/, /o, COLLECTION shop orders null"
    })
    void a_path_means_what_its_mount_says(String what, String where, String path, String meaning) {
        assertThat(meaning(new Mounts("/", List.of(new Mount(what, where))), path))
                .isEqualTo(meaning);
    }

    @Test
    void the_longest_mount_wins() {
        var mounts = new Mounts("/", List.of(new Mount("/a", "/"), new Mount("/b", "/x/y"), new Mount("/c", "/x")));

        assertThat(meaning(mounts, "/x/y/z")).isEqualTo("COLLECTION b z null");
        assertThat(meaning(mounts, "/x/z")).isEqualTo("COLLECTION c z null");
        assertThat(meaning(mounts, "/z")).isEqualTo("COLLECTION a z null");
    }

    @Test
    void the_uri_of_the_service_comes_before_all_mounts() {
        var mounts = new Mounts("/v1/", List.of(new Mount("*", "/data")));

        assertThat(meaning(mounts, "/v1/data/db")).isEqualTo("DB db null null");
        assertThat(meaning(mounts, "/data/db")).isEqualTo("nothing");
    }

    @Test
    void sessions_are_found_only_at_the_root_of_a_server_whose_root_is_mounted() {
        assertThat(meaning(EVERYTHING, "/_sessions")).startsWith("SESSIONS");
        assertThat(meaning(EVERYTHING, "/_sessions/x")).startsWith("SESSION ");
        assertThat(meaning(new Mounts("/", List.of(new Mount("*", "/data"))), "/data/_sessions"))
                .isEqualTo("nothing");
        assertThat(meaning(new Mounts("/", List.of(new Mount("/db", "/api"))), "/api/_sessions"))
                .isEqualTo("COLLECTION db _sessions null");
    }

    @Test
    void templates_put_the_values_of_the_path_into_names() {
        var mounts = new Mounts("/", List.of(new Mount("/saas/{tenant}_{coll}/{*}", "/{tenant}/{coll}/{*}")));

        assertThat(meaning(mounts, "/acme/orders/7")).isEqualTo("DOCUMENT saas acme_orders 7");
        assertThat(meaning(mounts, "/acme/orders")).isEqualTo("COLLECTION saas acme_orders null");
        assertThat(meaning(mounts, "/acme")).isEqualTo("nothing");
    }

    @Test
    void a_value_that_looks_like_a_variable_stays_what_it_is() {
        var mounts = new Mounts("/", List.of(new Mount("/saas/{tenant}_{coll}/{*}", "/{tenant}/{coll}/{*}")));

        assertThat(meaning(mounts, "/%7Bcoll%7D/orders")).isEqualTo("COLLECTION saas {coll}_orders null");
    }

    @ParameterizedTest
    @ValueSource(strings = {"acme.example.org", "acme.example.org:8080", "acme:", "acme:80"})
    void templates_know_the_host_and_its_labels(String host) {
        var mounts = new Mounts("/", List.of(new Mount("/{host[0]}/{*}", "/{*}")));

        assertThat(resolve(mounts, "/orders", host).map(Located::path).map(MountsTest::spell))
                .contains("COLLECTION acme orders null");
        assertThat(resolve(new Mounts("/", List.of(new Mount("/{host[2]}/{*}", "/{*}"))), "/c", "localhost"))
                .isEmpty();
    }

    @Test
    void templates_and_literal_mounts_do_not_mix() {
        assertThatThrownBy(() -> new Mounts("/", List.of(new Mount("*", "/"), new Mount("/{a}", "/{a}"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Mounts("/", List.of(new Mount("/{a}/{b}", "/{a}"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("{b}");
    }

    @Test
    void links_lead_back_through_the_mount_of_the_request() {
        var mounts = new Mounts("/v1", List.of(new Mount("*", "/data"), new Mount("/shop", "/api")));
        var byApi = resolve(mounts, "/v1/api/orders").orElseThrow().space();
        var byData = resolve(mounts, "/v1/data/shop/orders").orElseThrow().space();

        assertThat(byApi.pathOf("shop", "orders")).contains("/v1/api/orders");
        assertThat(byData.pathOf("shop", "orders")).contains("/v1/data/shop/orders");
        assertThat(byApi.pathOf("other", "c")).contains("/v1/data/other/c");
        assertThat(byData.pathOf()).contains("/v1/data");
    }

    @Test
    void of_several_other_mounts_the_most_specific_one_is_linked() {
        var mounts = new Mounts(
                "/", List.of(new Mount("*", "/all/data"), new Mount("/shop", "/s"), new Mount("/shop/orders", "/o")));
        var space = resolve(mounts, "/o").orElseThrow().space();

        assertThat(space.pathOf("shop")).contains("/s");
        assertThat(space.pathOf("shop", "customers")).contains("/s/customers");
        assertThat(space.pathOf("other")).contains("/all/data/other");
    }

    @Test
    void what_no_mount_shows_has_no_path() {
        var space = resolve(new Mounts("/", List.of(new Mount("/shop/orders", "/o"))), "/o/1")
                .orElseThrow()
                .space();

        assertThat(space.pathOf("shop", "orders")).contains("/o");
        assertThat(space.pathOf("shop", "customers")).isEmpty();
        assertThat(space.pathOf("shop")).isEmpty();
        assertThat(space.pathOf()).isEmpty();
    }

    @Test
    void links_of_templates_prefer_the_values_of_the_request() {
        var mounts = new Mounts("/", List.of(new Mount("/saas/{tenant}_{coll}/{*}", "/{tenant}/{coll}/{*}")));
        var space = resolve(mounts, "/a_b/orders/7").orElseThrow().space();

        assertThat(space.pathOf("saas", "a_b_customers")).contains("/a_b/customers");
        assertThat(space.pathOf("other", "a_b_customers")).isEmpty();
    }

    @Test
    void paths_are_encoded_where_they_must_be() {
        var space = resolve(EVERYTHING, "/db/c").orElseThrow().space();

        assertThat(space.pathOf("db", "a b/c;é")).contains("/db/a%20b%2Fc%3B%C3%A9");
    }

    @Test
    void nothing_is_remembered_of_names_that_mongodb_cannot_have() {
        var address = new InetSocketAddress("127.0.0.1", 8080);
        var connection = new Connection("http", "HTTP/1.1", "localhost", address, address);
        var names = new ArrayList<WeakReference<String>>();
        for (int i = 0; i < 10; i++) {
            var name = "n".repeat(100_000 + i);
            names.add(new WeakReference<>(name));
            assertThat(EVERYTHING.ofCollection(connection, "db", name)).isEmpty();
            assertThat(EVERYTHING.ofCollection(connection, name, "c")).isEmpty();
        }
        assertThat(EVERYTHING.ofCollection(connection, "db", "n".repeat(200))).contains("/db/" + "n".repeat(200));
        await().untilAsserted(() -> {
            System.gc();
            assertThat(names).allMatch(name -> name.get() == null);
        });
    }
}
