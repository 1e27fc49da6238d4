package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;

/// Tokens in cookies, and pages of other sites.
class TokenCookieTest extends TokenFixture {
    @Test
    void logout_makes_the_browser_drop_the_cookie() {
        var response = gateway.anonymous().send("POST", "/logout", "");
        assertStatus(200, response);
        assertThat(response.headers().firstValue("Set-Cookie"))
                .contains("rh_auth=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0");
        assertStatus(405, gateway.anonymous().get("/logout"));
    }

    @Test
    void responses_with_tokens_are_not_stored_and_cookies_are_hidden_from_scripts() {
        var get = gateway.as("ada").get("/token");
        assertThat(get.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(get.headers().firstValue("Auth-Token")).isPresent();
        var cookie = gateway.as("ada").send("POST", "/token/cookie", "");
        assertThat(cookie.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(cookie.headers().firstValue("Auth-Token")).isEmpty();
        assertThat(gateway.as("ada").get("/c").headers().firstValue("Auth-Token"))
                .isEmpty();
    }

    @Test
    void other_sites_cannot_act_with_the_cookie(TestMongo mongo) {
        var lax = TOKENS + "authCookieSetter: {same-site-mode: lax, allowed-origins: [\"https://app.example\"]}\n";
        try (var other = TestGateway.start(mongo, lax)) {
            other.permit("{_id: 'p', roles: ['editor'], predicate: \"path('/c')\"}");
            other.insert("c", "{_id: 'a'}");
            var token = token(other.as("ada"));
            var browser = other.anonymous().with("Cookie", "rh_auth=Bearer_" + token);
            assertStatus(200, browser.get("/c"));
            assertStatus(200, browser.with("Origin", "https://evil.example").get("/c"));
            assertStatus(403, browser.with("Origin", "https://evil.example").post("/c", "{}"));
            assertStatus(201, browser.with("Origin", "https://app.example").post("/c", "{}"));
            assertStatus(201, browser.post("/c", "{}"));
        }
    }

    @Test
    void pages_of_other_sites_cannot_make_a_link_write_with_the_cookie() {
        var admin = gateway.as("admin");
        var pipeline = "{\"aggrs\": [{\"uri\": \"w\", \"type\": \"pipeline\", \"stages\": [{\"$out\": \"copy\"}]}]}";
        assertStatus(201, admin.put("/linked", pipeline));
        assertStatus(201, admin.post("/linked", "{}"));
        var browser = gateway.anonymous().with("Cookie", "rh_auth=Bearer_" + token(admin));
        assertStatus(403, browser.with("Sec-Fetch-Site", "cross-site").get("/linked/_aggrs/w"));
        assertStatus(403, browser.with("Origin", "https://evil.example").get("/linked/_aggrs/w"));
        assertStatus(403, browser.get("/linked/_aggrs/w"));
        assertThat(gateway.collection("copy").countDocuments()).isZero();
        assertStatus(200, browser.with("Sec-Fetch-Site", "same-origin").get("/linked/_aggrs/w"));
        assertStatus(200, admin.get("/linked/_aggrs/w"));
        assertThat(gateway.collection("copy").countDocuments()).isEqualTo(1);
    }

    @Test
    void pages_of_other_sites_cannot_read_with_a_cookie_that_browsers_send_them(TestMongo mongo) {
        var none = TOKENS + "authCookieSetter: {same-site-mode: none, allowed-origins: [\"https://app.example\"]}\n";
        try (var other = TestGateway.start(mongo, none)) {
            other.permit("{_id: 'p', roles: ['editor'], predicate: \"path('/c')\"}");
            other.insert("c", "{_id: 'a'}");
            var browser = other.anonymous().with("Cookie", "rh_auth=Bearer_" + token(other.as("ada")));
            assertStatus(403, browser.with("Origin", "https://evil.example").get("/c"));
            var token = browser.with("Origin", "https://evil.example").get("/token");
            assertStatus(403, token);
            assertThat(token.headers().firstValue("Auth-Token")).isEmpty();
            assertStatus(403, browser.with("Origin", "null").get("/token"));
            assertStatus(200, browser.with("Origin", "https://app.example").get("/c"));
            assertStatus(200, browser.get("/c"));
        }
    }
}
