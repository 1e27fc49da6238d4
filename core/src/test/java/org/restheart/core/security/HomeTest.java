package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What browsers find at `/`, and what is said of services that are off.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HomeTest {
    private static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";

    @AutoClose
    private final TestGateway gateway;

    HomeTest(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "core: {name: <shop>}\n");
    }

    private static HttpResponse<String> browse(TestClient client) {
        return client.with("Accept", BROWSER).get("/");
    }

    @Test
    void a_browser_gets_a_page_without_an_account_that_tells_little() {
        var page = browse(gateway.anonymous());
        assertStatus(200, page);
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("default-src 'none'");
        assertThat(page.headers().allValues("WWW-Authenticate")).isEmpty();
        assertThat(page.body())
                .contains("You are not signed in", "/_console/", "&lt;shop&gt;")
                .doesNotContain(
                        "<shop>", "/metrics", "/_access", "https://"); // another server's documentation, for one
    }

    @Test
    void a_caller_with_an_account_reads_who_he_is_and_what_is_here() {
        assertThat(browse(gateway.as("ada")).body())
                .contains("You are <b>ada</b>, with the roles editor", "/metrics", "/_openapi", "/health/db");
    }

    @Test
    void programs_get_what_they_got() {
        assertStatus(401, gateway.anonymous().get("/"));
        assertThat(gateway.as("admin").get("/").body()).startsWith("[");
        assertThat(gateway.as("admin")
                        .with("Accept", "application/json")
                        .get("/")
                        .body())
                .startsWith("[");
        assertThat(gateway.as("admin").with("Accept", BROWSER).get("/?page=1").body())
                .startsWith("[");
        assertThat(browse(gateway.anonymous()).headers().map()).containsKey("vary");
    }

    @Test
    void there_is_an_icon() {
        var icon = gateway.anonymous().get("/favicon.ico");
        assertStatus(200, icon);
        assertThat(icon.headers().firstValue("Content-Type")).contains("image/x-icon");
        assertStatus(405, gateway.anonymous().send("DELETE", "/favicon.ico", ""));
    }

    @Test
    void a_service_that_is_off_is_named_with_its_key_to_those_who_may_know() {
        assertThat(gateway.as("admin").get("/_graphiql").body())
                .contains("GraphiQL would be here", "/graphiql/enabled switches it on");
        assertThat(gateway.as("admin").post("/_mcp", "{}").body()).contains("is off", "/mcp/enabled switches it on");
        assertThat(gateway.as("admin").get("/app/data-1/endpoint").body()).contains("/dataApi/enabled");
        assertThat(gateway.as("admin").get("/_apikeys").body()).contains("/apiKeyAuthMechanism/enabled");
        assertStatus(401, gateway.anonymous().get("/_mcp"));
        var refused = gateway.as("bob").get("/_mcp");
        assertStatus(403, refused);
        assertThat(refused.body()).doesNotContain("enabled");
        assertThat(gateway.as("admin").get("/authorize").body())
                .contains("is off", "/oauthAuthorizationService/enabled switches it on");
        assertThat(gateway.as("admin").post("/register", "{}").body())
                .contains("is off", "/oauthClientRegistrationService/enabled switches it on");
        assertThat(gateway.as("admin").get("/films-that-are-not").body()).doesNotContain("is off");
        assertThat(gateway.as("admin").get("/openapi.json").body())
                .contains("the OpenAPI document is at /_openapi. As data: ");
        assertThat(gateway.as("admin").get("/health").body()).contains("the state of MongoDB is at /health/db");
        assertThat(gateway.as("admin").get("/graphiql").body()).doesNotContain("GraphiQL is at");
        assertThat(gateway.as("bob").get("/openapi.json").body()).doesNotContain("/_openapi. As");
    }

    @Test
    void paths_of_other_layouts_are_answered_with_what_is_wrong_in_them() {
        assertThat(gateway.as("admin").get("//books").body()).contains("reserved resource", "two slashes in a row");
        var name = gateway.database().getName();
        for (var path : new String[] {"/" + name, "/" + name + "/books"}) {
            assertThat(gateway.as("admin").get(path).body())
                    .contains("'" + name + "' does not exist", "the name of the database in the URL");
        }
    }
}
