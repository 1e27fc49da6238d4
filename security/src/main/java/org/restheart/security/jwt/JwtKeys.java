package org.restheart.security.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.ArrayList;
import java.util.List;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;

/// Finds the keys that verify a token. Keys always come from the configuration, never from a token's header.
/// Thread-safe.
@FunctionalInterface
interface JwtKeys {
    /// @throws org.restheart.http.ProblemException 503 if the keys cannot be fetched now
    List<JWSVerifier> verifiers(Request request, JWSHeader header) throws JOSEException;

    static JwtKeys ofSecret(byte[] secret) throws JOSEException {
        var verifiers = List.<JWSVerifier>of(new MACVerifier(secret));
        return (_, _) -> verifiers;
    }

    static JwtKeys ofPublicKey(PublicKey key) throws JOSEException {
        var verifiers = List.of(verifier(key));
        return (_, _) -> verifiers;
    }

    private static JWSVerifier verifier(PublicKey key) throws JOSEException {
        return switch (key) {
            case RSAPublicKey rsa -> new RSASSAVerifier(rsa);
            case ECPublicKey ec -> new ECDSAVerifier(ec);
            default -> throw new JOSEException("neither an RSA nor an elliptic-curve key");
        };
    }

    /// @param remote whether a look-up may wait for another server
    static JwtKeys ofSet(JWKSource<SecurityContext> source, boolean remote) {
        return (request, header) -> {
            if (remote) {
                request.requireThread();
            }
            var matcher = JWKMatcher.forJWSHeader(header);
            try {
                var verifiers = new ArrayList<JWSVerifier>();
                for (var key : source.get(new JWKSelector(matcher), null)) {
                    verifiers.add(verifier(key));
                }
                return verifiers;
            } catch (com.nimbusds.jose.KeySourceException e) {
                throw Problem.of(ProblemCode.OVERLOADED, "the keys of the token issuer cannot be loaded at the moment")
                        .with("Retry-After", "5")
                        .raise();
            }
        };
    }

    private static JWSVerifier verifier(JWK key) throws JOSEException {
        return switch (key) {
            case RSAKey rsa -> new RSASSAVerifier(rsa);
            case ECKey ec -> new ECDSAVerifier(ec);
            case OctetSequenceKey secret -> new MACVerifier(secret);
            default -> throw new JOSEException("unsupported type of key");
        };
    }
}
