package org.restheart.security.jwt;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.util.Base64URL;
import java.text.ParseException;
import java.time.Instant;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Request;
import org.restheart.security.realm.KeyedDigest;

/// Checks tokens: signature, issuer, audience, times. A token that was right is remembered under a keyed
/// digest, so that it costs no cryptography again; its times and its revocation are looked at every time.
/// Thread-safe.
public final class JwtVerifier {
    static final int MAX_LENGTH = 8_192;
    /// The type of tokens that are authorization codes: they must not pass for others, nor others for them.
    static final JOSEObjectType CODE = new JOSEObjectType("authorization-code+jwt");

    private static final int MAX_REMEMBERED = 10_000;

    private final JwtSettings settings;
    private final JwtKeys keys;
    private final Revocations revocations;
    private final KeyedDigest digest = new KeyedDigest();
    private final Cache<KeyedDigest.Digest, Claims> verified = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_REMEMBERED)
            .build();

    JwtVerifier(JwtSettings settings, JwtKeys keys, Revocations revocations) {
        this.settings = settings;
        this.keys = keys;
        this.revocations = revocations;
    }

    public JwtSettings settings() {
        return settings;
    }

    public Revocations revocations() {
        return revocations;
    }

    /// The claims of a token that is right, now. An authorization code is not.
    ///
    /// @throws org.restheart.http.ProblemException 503 if the issuer's keys cannot be had
    public Optional<Claims> verify(Request request, String token) {
        return verify(request, token, false);
    }

    /// The claims of an authorization code that is right and has not been used.
    public Optional<Claims> verifyCode(Request request, String code) {
        return verify(request, code, true);
    }

    private Optional<Claims> verify(Request request, String token, boolean code) {
        if (token.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        var key = digest.of(token, code ? "code" : "");
        var known = verified.getIfPresent(key);
        var claims = known != null ? Optional.of(known) : check(request, token, code);
        var valid = claims.filter(this::areGood);
        if (known == null) {
            valid.ifPresent(good -> verified.put(key, good));
        } else if (valid.isEmpty()) {
            verified.invalidate(key);
        }
        return valid;
    }

    private boolean areGood(Claims claims) {
        return claims.areValidAt(Instant.now(), settings.expiryRequired())
                && claims.id().filter(revocations::contains).isEmpty();
    }

    private Optional<Claims> check(Request request, String token, boolean code) {
        try {
            var jws = JWSObject.parse(token);
            var header = jws.getHeader();
            if (!header.getAlgorithm().equals(settings.algorithm()) || CODE.equals(header.getType()) != code) {
                return Optional.empty();
            }
            return isCanonical(jws, token) && hasSignature(request, jws, header) ? claims(jws) : Optional.empty();
        } catch (ParseException | JOSEException | IllegalArgumentException | IllegalStateException _) {
            return Optional.empty(); // what a client sent is no token
        }
    }

    /// Base64 leaves bits unused: without this several texts would be the same signature (RFC 4648, 3.5).
    private static boolean isCanonical(JWSObject jws, String token) {
        var signature = Base64URL.encode(jws.getSignature().decode()).toString();
        return token.endsWith("." + signature);
    }

    private boolean hasSignature(Request request, JWSObject jws, JWSHeader header) throws JOSEException {
        for (var verifier : keys.verifiers(request, header)) {
            // Refuses headers with critical parameters that it does not know (RFC 7515, 4.1.11).
            if (verifier.supportedJWSAlgorithms().contains(header.getAlgorithm()) && jws.verify(verifier)) {
                return true;
            }
        }
        return false;
    }

    private Optional<Claims> claims(JWSObject jws) {
        try {
            if (!(JsonParser.parse(jws.getPayload().toString()) instanceof BsonDocument payload)) {
                return Optional.empty();
            }
            var claims = new Claims(payload);
            boolean issued = settings.issuer().isEmpty() || settings.issuer().equals(claims.text("iss"));
            return issued && claims.areFor(settings.audience()) ? Optional.of(claims) : Optional.empty();
        } catch (MalformedJsonException _) {
            return Optional.empty();
        }
    }
}
