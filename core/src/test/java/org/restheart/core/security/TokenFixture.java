package org.restheart.core.security;

import static org.restheart.testkit.Responses.json;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A gateway that issues tokens, and requests with them.
@WithMongo
abstract class TokenFixture {
    static final String KEY = "0123456789abcdef0123456789abcdef";
    static final String TOKENS = """
            tokenBasicAuthMechanism: {enabled: true}
            jwtConfigProvider: {key: %s}
            jwtAuthenticationMechanism: {enabled: true}
            jwtTokenManager: {enabled: true, ttl: 15, account-properties-claims: [team, /org/unit]}
            authTokenService: {enabled: true, uri: /token, redirect-url: "https://app.example/done"}
            """.formatted(KEY);

    @AutoClose
    static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, TOKENS);
        gateway.permit("{_id: 'p', roles: ['editor'], predicate: \"path('/c')\"}");
        gateway.insert("c", "{_id: 'a'}");
    }

    static String token(TestClient client) {
        return json(client.send("POST", "/token", "")).getString("access_token").getValue();
    }

    static BsonDocument claims(String token) {
        return BsonDocument.parse(
                new String(Base64.getUrlDecoder().decode(token.split("\\.")[1]), StandardCharsets.UTF_8));
    }

    static TestClient bearer(String token) {
        return gateway.anonymous().with("Authorization", "Bearer " + token);
    }

    static String signed(String key, JWSAlgorithm algorithm, String claims) throws Exception {
        var jws = new JWSObject(new JWSHeader(algorithm), new Payload(claims));
        jws.sign(new MACSigner(key));
        return jws.serialize();
    }

    static String insertedUser(String name, String role) {
        gateway.insertUsers("{_id: '" + name + "', roles: ['" + role + "']}");
        return token(gateway.anonymous().as(name, "pw"));
    }

    static String renewed(String token) {
        return json(bearer(token).get("/token?renew")).getString("access_token").getValue();
    }
}
