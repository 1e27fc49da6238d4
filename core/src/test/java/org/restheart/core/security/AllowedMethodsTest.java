package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A `405` names the methods that the resource has (RFC 9110, 15.5.6).
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AllowedMethodsTest {
    @AutoClose
    private final TestGateway gateway;

    AllowedMethodsTest(TestMongo mongo) {
        gateway = TestGateway.start(mongo, """
                tokenBasicAuthMechanism: {enabled: true}
                jwtConfigProvider: {key: 0123456789abcdef0123456789abcdef}
                jwtAuthenticationMechanism: {enabled: true}
                jwtTokenManager: {enabled: true}
                authTokenService: {enabled: true, uri: /token}
                """);
        gateway.insert("c", "{_id: 'a'}");
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /c/a, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'",
        "POST, /c/_size, 'GET, HEAD, OPTIONS'",
        "PUT, /metrics, 'GET, HEAD, OPTIONS'",
        "PUT, /health/db, 'GET, HEAD, OPTIONS'",
        "PUT, /token, 'GET, POST, DELETE, HEAD, OPTIONS'",
        "GET, /token/cookie, 'POST, OPTIONS'",
        "GET, /ic, 'POST, OPTIONS'",
        "POST, /roles/admin, 'GET, HEAD, OPTIONS'",
        "POST, /_openapi, 'GET, HEAD, OPTIONS'",
        "PUT, /_console/, 'GET, HEAD, OPTIONS'",
        "GET, /_access/parse, 'POST, OPTIONS'"
    })
    void a_refused_method_comes_with_those_that_are_allowed(String method, String path, String allowed) {
        var answer = gateway.as("admin").send(method, path, "{}");
        assertStatus(405, answer);
        assertThat(answer.headers().allValues("Allow")).containsExactly(allowed);
    }
}
