package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.nimbusds.jose.JWSAlgorithm;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class OAuthTest {
    private static final String VERIFIER = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final String REDIRECT = "http://localhost:3000/done";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, """
                tokenBasicAuthMechanism: {enabled: true}
                jwtConfigProvider: {key: %s}
                jwtAuthenticationMechanism: {enabled: true}
                jwtTokenManager: {enabled: true}
                oauthAuthorizationServerMetadataService: {enabled: true, base-url: "https://api.example"}
                oauthProtectedResourceMetadataService: {enabled: true, base-url: "https://api.example"}
                oauthAuthorizationService:
                  enabled: true
                  login-url: https://login.example/in
                  allowed-redirect-uris: ["http://localhost:*", "https://app.example/cb"]
                oauthClientRegistrationService: {enabled: true}
                """.formatted(TokenFixture.KEY));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String challenge() throws Exception {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(
                        MessageDigest.getInstance("SHA-256").digest(VERIFIER.getBytes(StandardCharsets.US_ASCII)));
    }

    private static String authorize(String redirect) throws Exception {
        return "/authorize?response_type=code&client_id=app&state=s1&code_challenge=" + challenge()
                + "&code_challenge_method=S256&redirect_uri=" + encode(redirect);
    }

    private static HttpResponse<String> form(String target, String content) {
        return gateway.anonymous()
                .with("Content-Type", "application/x-www-form-urlencoded")
                .send("POST", target, content);
    }

    private static String location(HttpResponse<String> response) {
        return response.headers().firstValue("Location").orElse("");
    }

    private static String code() throws Exception {
        var location = location(form(authorize(REDIRECT), "username=ada&password=ada-pw"));
        assertThat(location).matches("http://localhost:3000/done\\?code=[^&]+&iss=https%3A%2F%2Fapi.example&state=s1");
        return codeOf(location);
    }

    private static String codeOf(String location) {
        return location.replaceAll(".*code=([^&]+).*", "$1");
    }

    private static HttpResponse<String> exchange(String code, String more) {
        return form("/token", "grant_type=authorization_code&code=" + code + more);
    }

    @Test
    void a_code_is_bought_with_a_password_and_sold_for_a_token() throws Exception {
        var asked = gateway.anonymous().get(authorize(REDIRECT));
        assertStatus(302, asked);
        assertThat(location(asked)).startsWith("https://login.example/in?client_id=app&code_challenge=");
        var token = exchange(code(), "&code_verifier=" + VERIFIER);
        assertStatus(200, token);
        assertThat(token.headers().firstValue("Cache-Control")).contains("no-store");
        var body = BsonDocument.parse(token.body());
        assertThat(body.keySet()).containsExactly("access_token", "token_type", "expires_in");
        assertThat(body.getNumber("expires_in").longValue()).isEqualTo(900);
        assertThat(gateway.anonymous()
                        .with(
                                "Authorization",
                                "Bearer " + body.getString("access_token").getValue())
                        .get("/roles/ada")
                        .body())
                .contains("editor");
    }

    @Test
    void wrong_passwords_lead_back_to_the_login_page() throws Exception {
        assertThat(location(form(authorize(REDIRECT), "username=ada&password=x")))
                .startsWith("https://login.example/in?error=invalid_credentials&");
        var basic = gateway.anonymous().as("ada", "x").send("POST", authorize(REDIRECT), "");
        assertStatus(401, basic);
        assertThat(basic.headers().firstValue("WWW-Authenticate")).contains("Basic realm=\"RESTHeart\"");
    }

    @Test
    void codes_and_tokens_are_not_accepted_in_place_of_each_other() throws Exception {
        var code = code();
        assertStatus(
                401, gateway.anonymous().with("Authorization", "Bearer " + code).get("/roles/ada"));
        assertStatus(401, gateway.anonymous().as("ada", code).get("/roles/ada"));
        var token = BsonDocument.parse(gateway.as("ada").get("/token").body())
                .getString("access_token")
                .getValue();
        assertStatus(400, exchange(token, "&code_verifier=" + VERIFIER));
        assertThat(exchange(code, "&code_verifier=" + VERIFIER + "&client_id=other")
                        .body())
                .contains("invalid_grant");
        assertThat(exchange(code, "&code_verifier=" + VERIFIER + "&redirect_uri=" + encode("http://localhost:1/"))
                        .body())
                .contains("invalid_grant");
        assertThat(exchange(code, "&code_verifier=wrong").body()).contains("invalid_grant");
        assertThat(exchange(code, "").body()).contains("code_verifier is required");
        assertThat(exchange("", "&code_verifier=x").body()).contains("code is required");
    }

    @Test
    void a_code_is_accepted_once() throws Exception {
        var code = code();
        assertStatus(200, exchange(code, "&code_verifier=" + VERIFIER));
        var again = exchange(code, "&code_verifier=" + VERIFIER);
        assertStatus(400, again);
        assertThat(again.body()).contains("invalid_grant");
    }

    @Test
    void redirections_go_only_to_configured_targets() throws Exception {
        for (var evil : List.of(
                "http://localhost:1@evil.example/",
                "http://localhost:80.evil.example",
                "http://localhost:80@evil.example",
                "http://localhost.evil.example:80/",
                "https://app.example.evil/cb",
                "https://appXexample/cb",
                "https://app.example/cbx",
                "https://app.example/cb/../x",
                "https://user@app.example/cb",
                "https://app.example/cb#x",
                "javascript://localhost:1/%0aalert(1)")) {
            var response = form(authorize(evil), "username=ada&password=ada-pw");
            assertThat(response.statusCode()).as(evil).isEqualTo(400);
            assertThat(location(response)).as(evil).isEmpty();
        }
        assertThat(location(form(authorize("https://app.example/cb/deep?x=1"), "username=ada&password=ada-pw")))
                .startsWith("https://app.example/cb/deep?x=1&code=");
    }

    @Test
    void authorization_requests_need_pkce() {
        var plain = "/authorize?response_type=code&code_challenge=x&code_challenge_method=plain&redirect_uri="
                + encode(REDIRECT);
        assertStatus(400, gateway.anonymous().get(plain));
        assertThat(location(form(plain, "username=ada&password=ada-pw")))
                .startsWith(REDIRECT + "?error=invalid_request");
        assertThat(gateway.anonymous().get("/authorize?response_type=token").body())
                .contains("unsupported_response_type");
        assertThat(gateway.anonymous().get("/authorize?response_type=code").body())
                .contains("redirect_uri is required");
    }

    @Test
    void a_token_for_one_of_another_issuer_lasts_no_longer_than_that() throws Exception {
        long end = Instant.now().getEpochSecond() + 60;
        var token = exchange(codeOfStranger(end), "&code_verifier=" + VERIFIER);
        assertStatus(200, token);
        var answer = BsonDocument.parse(token.body());
        assertThat(answer.getNumber("expires_in").longValue()).isLessThanOrEqualTo(60);
        var claims = TokenFixture.claims(answer.getString("access_token").getValue());
        assertThat(claims.getNumber("exp").longValue()).isLessThanOrEqualTo(end);
    }

    @Test
    void there_is_no_token_for_one_of_another_issuer_that_has_ended() throws Exception {
        long end = Instant.now().getEpochSecond() + 5;
        var code = codeOfStranger(end);
        await().until(() -> Instant.now().isAfter(Instant.ofEpochSecond(end).plusMillis(100)));
        var refused = exchange(code, "&code_verifier=" + VERIFIER);
        assertStatus(400, refused);
        assertThat(refused.body()).contains("\"invalid_grant\"", "has ended").doesNotContain("access_token");
    }

    /// A code for an account that only a token of another issuer knows.
    ///
    /// @param end of that token, in seconds since 1970
    private static String codeOfStranger(long end) throws Exception {
        var foreign = TokenFixture.signed(
                TokenFixture.KEY,
                JWSAlgorithm.HS256,
                "{\"iss\":\"restheart.org\",\"sub\":\"stranger\",\"roles\":[\"editor\"],\"exp\":" + end + "}");
        return codeOf(location(
                gateway.anonymous().with("Authorization", "Bearer " + foreign).send("POST", authorize(REDIRECT), "")));
    }

    @Test
    void headers_do_not_change_metadata() {
        var spoofed =
                gateway.anonymous().with("X-Forwarded-Host", "evil.example").with("X-Forwarded-Proto", "http");
        var server = BsonDocument.parse(
                spoofed.get("/.well-known/oauth-authorization-server").body());
        assertThat(server.getString("issuer").getValue()).isEqualTo("https://api.example");
        assertThat(server.getString("token_endpoint").getValue()).isEqualTo("https://api.example/token");
        var resource = spoofed.get("/.well-known/oauth-protected-resource/c").body();
        assertThat(resource).contains("https://api.example/c").doesNotContain("evil");
    }

    @Test
    void invalid_registrations_of_clients_are_refused() {
        assertStatus(201, gateway.anonymous().post("/register", "{\"redirect_uris\":[\"http://localhost/\"]}"));
        for (var bad : List.of("{}", "{\"redirect_uris\":5}", "{\"redirect_uris\":[5]}", "[", "5")) {
            var response = gateway.anonymous().post("/register", bad);
            assertThat(response.statusCode()).as(bad).isEqualTo(400);
            assertThat(response.body()).contains("invalid_client_metadata");
        }
        assertStatus(405, gateway.anonymous().get("/register"));
    }
}
