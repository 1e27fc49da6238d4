package org.restheart.core.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.embedded.FreePort;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Tokens of other issuers: their keys, their clocks, and where they say what roles somebody has.
@WithMongo
class TokenIssuersTest {
    private static final String BEARER = """
        basicAuthMechanism: {enabled: false}
        jwtConfigProvider: {%s}
        jwtAuthenticationMechanism: {enabled: true%s}
        """;

    private static TestGateway gateway(TestMongo mongo, String provider, String mechanism) {
        var gateway = TestGateway.start(mongo, BEARER.formatted(provider, mechanism));
        gateway.permit("editor", "path('/c')", "null");
        gateway.insert("c", "{_id: 'a'}");
        return gateway;
    }

    private static int status(TestGateway gateway, String token) {
        return gateway.anonymous()
                .with("Authorization", "Bearer " + token)
                .get("/c")
                .statusCode();
    }

    private static String signed(JWSHeader header, JWSSigner signer, String claims) throws JOSEException {
        var jws = new JWSObject(header, new Payload(claims));
        jws.sign(signer);
        return jws.serialize();
    }

    private static String signed(String claims) throws JOSEException {
        return signed(
                new JWSHeader(JWSAlgorithm.HS256),
                new MACSigner(TokenFixture.KEY),
                "{\"iss\": \"restheart.org\", \"sub\": \"ada\"" + claims + "}");
    }

    /// Beside it, as an issuer publishes: one that is good, and those in the argument.
    private static String set(JWK good, String others) {
        return "{\"keys\": [" + others + ", " + good.toPublicJWK().toJSONString() + "]}";
    }

    private static final RSAKey KEY = key();

    private static RSAKey key() {
        try {
            return new RSAKeyGenerator(2048).keyID("good").generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e); // every Java platform has it
        }
    }

    private static final String UNUSABLE = Stream.of(
                    "{'kty':'EC','crv':'brainpoolP256r1','kid':'curve','x':'AA','y':'AA','use':'sig'}",
                    "{'kty':'EC','crv':'P-256','kid':'off','x':'AA','y':'AA','use':'sig'}",
                    "{'kty':'RSA','kid':'half','e':'AQAB','use':'sig'}",
                    "{'kty':'RSA','kid':'ops','n':'sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1WlUzewbg','e':'AQAB','use':'sig','key_ops':['encrypt']}",
                    "{'kty':'XYZ','kid':'kind'}",
                    "{'kid':'none'}",
                    "7")
            .reduce((a, b) -> a + ", " + b)
            .orElseThrow()
            .replace('\'', '"');

    @Test
    void keys_that_cannot_be_used_do_not_make_the_others_useless(TestMongo mongo) throws Exception {
        var issuer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        issuer.createContext("/certs", exchange -> {
            var bytes = set(KEY, UNUSABLE).getBytes(UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        issuer.start();
        var provider = "algorithm: RS256, issuer: null, jwks: 'http://127.0.0.1:%d/certs'"
                .formatted(issuer.getAddress().getPort());
        try (var gateway = gateway(mongo, provider, "");
                var log = new LogLines()) {
            assertThat(status(gateway, ofIssuer(KEY, "good"))).isEqualTo(200);
            assertThat(status(gateway, ofIssuer(KEY, null))).isEqualTo(200);
            assertThat(status(gateway, ofIssuer(KEY, "half"))).isEqualTo(401);
            assertThat(log.all().stream().filter(line -> line.startsWith("WARN Keys at http://127.0.0.1")))
                    .singleElement()
                    .asString()
                    .contains("curve (", "off (", "half (", "ops (", "kind (", "none (", "one without a kid (")
                    .doesNotContain("good");
        } finally {
            issuer.stop(0);
        }
    }

    private static String ofIssuer(RSAKey key, String id) throws JOSEException {
        var claims = "{\"sub\": \"ada\", \"roles\": [\"editor\"]}";
        return signed(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(id).build(), new RSASSASigner(key), claims);
    }

    @Test
    void that_an_issuer_cannot_be_reached_is_logged_once(TestMongo mongo) throws Exception {
        int closed = FreePort.find();
        try (var gateway = gateway(mongo, "algorithm: RS256, jwks: 'http://127.0.0.1:" + closed + "/certs'", "");
                var log = new LogLines()) {
            assertThat(status(gateway, ofIssuer(KEY, "a"))).isEqualTo(503);
            assertThat(status(gateway, ofIssuer(KEY, "b"))).isEqualTo(503);
            assertThat(log.all().stream().filter(line -> line.contains("cannot be loaded from")))
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "60, exp, -30, 200", "60, exp, -90, 401", "60, nbf, 30, 200", "60, nbf, 90, 401", "60, iat, 9000, 200",
        "0, exp, -30, 401", "0, nbf, 30, 401", "0, iat, 1, 200", "300, exp, -200, 200", "300, nbf, 200, 200",
    })
    void clocks_of_issuers_may_differ_by_the_leeway(int leeway, String claim, int seconds, int status, TestMongo mongo)
            throws Exception {
        var provider = "key: " + TokenFixture.KEY + (leeway == 60 ? "" : ", leeway: " + leeway);
        try (var gateway = gateway(mongo, provider, "")) {
            var time = Instant.now().getEpochSecond() + seconds;
            assertThat(status(gateway, signed(", \"roles\": [\"editor\"], \"" + claim + "\": " + time)))
                    .isEqualTo(status);
        }
    }

    @Test
    void a_token_that_was_revoked_is_not_accepted_within_the_leeway(TestMongo mongo) throws Exception {
        try (var gateway = gateway(mongo, "key: " + TokenFixture.KEY, "}\njwtTokenManager: {enabled: true")) {
            var expired = Instant.now().getEpochSecond() - 20;
            var token = signed(", \"jti\": \"one\", \"roles\": [\"editor\"], \"exp\": " + expired);
            assertThat(status(gateway, token)).isEqualTo(200);
            var bearer = gateway.anonymous().with("Authorization", "Bearer " + token);
            assertStatus(204, bearer.delete("/token"));
            assertThat(status(gateway, token)).isEqualTo(401);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"realm_access\": {\"roles\": [\"editor\"]}}",
                "{\"realm_access\": {\"roles\": [\"viewer\"]}, \"realm_access.roles\": [\"editor\"]}",
            })
    void roles_may_be_in_claims_within_each_other(String claims, TestMongo mongo) throws Exception {
        try (var gateway = gateway(mongo, "key: " + TokenFixture.KEY, ", rolesClaim: realm_access.roles")) {
            assertThat(status(gateway, signed(", " + claims.substring(1, claims.length() - 1))))
                    .isEqualTo(200);
            assertThat(status(gateway, signed(", \"realm_access\": {\"roles\": [\"viewer\"]}")))
                    .isEqualTo(403);
            assertThat(status(gateway, signed(", \"realm_access\": {\"roles\": \"editor\"}")))
                    .isEqualTo(401);
            assertThat(status(gateway, signed(", \"realm_access\": [{\"roles\": [\"editor\"]}]")))
                    .isEqualTo(403);
        }
    }

    @Test
    void a_client_whose_name_has_dots_has_roles_of_its_own(TestMongo mongo) throws Exception {
        var path = ", rolesClaim: resource_access.my.client.roles";
        try (var gateway = gateway(mongo, "key: " + TokenFixture.KEY, path)) {
            assertThat(status(gateway, signed(", \"resource_access\": {\"my.client\": {\"roles\": [\"editor\"]}}")))
                    .isEqualTo(200);
        }
    }
}
