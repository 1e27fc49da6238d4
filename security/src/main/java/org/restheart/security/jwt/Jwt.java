package org.restheart.security.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import java.io.ByteArrayInputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Digests;
import org.restheart.security.realm.Generations;

/// The token verifier of one gateway, and the signer if there is a signing key.
public final class Jwt {
    private static final int RANDOM_BYTES = 64;
    private static final int TIMEOUT_MILLIS = 3_000;
    private static final int MAX_SET_BYTES = 512 * 1024;

    private final JwtVerifier verifier;
    private final @Nullable JwtSigner signer;
    private final byte[] accountKey;

    private Jwt(JwtVerifier verifier, @Nullable JwtSigner signer, byte[] accountKey) {
        this.verifier = verifier;
        this.signer = signer;
        this.accountKey = accountKey;
    }

    private static Jwt verifying(JwtVerifier verifier) {
        return new Jwt(verifier, null, random());
    }

    /// One secret that signs and verifies.
    ///
    /// @param key empty for a random one that is valid in this process only
    /// @throws IllegalArgumentException if the key does not fit the algorithm
    public static Jwt ofSecret(JwtSettings settings, Optional<String> key) {
        var secret = key.map(text -> text.getBytes(StandardCharsets.UTF_8)).orElseGet(Jwt::random);
        // RFC 7518, 3.2 requires as many bits as the hash has; shorter keys were always accepted here, with a warning,
        // and HMAC pads keys with zeros, so that padding them does not change any signature.
        var padded = Arrays.copyOf(secret, Math.max(secret.length, RANDOM_BYTES));
        try {
            return new Jwt(
                    new JwtVerifier(settings, JwtKeys.ofSecret(padded), Revocations.local()),
                    new JwtSigner(settings, padded),
                    derived(padded, "account generations"));
        } catch (JOSEException e) {
            throw new IllegalArgumentException("key does not fit " + settings.algorithm(), e);
        }
    }

    private static byte[] random() {
        var bytes = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    /// Verifies only.
    ///
    /// @param key Base64 of an X.509 certificate or of a public key; PEM with its header lines is accepted
    /// @throws IllegalArgumentException if the key does not fit the algorithm
    public static Jwt ofPublicKey(JwtSettings settings, String key) {
        try {
            return verifying(
                    new JwtVerifier(settings, JwtKeys.ofPublicKey(publicKey(settings, key)), Revocations.local()));
        } catch (JOSEException | GeneralSecurityException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "key must be a certificate or a public key for " + settings.algorithm() + ", in Base64", e);
        }
    }

    private static PublicKey publicKey(JwtSettings settings, String key) throws GeneralSecurityException {
        var der = Base64.getMimeDecoder()
                .decode(key.replaceAll("-----[A-Z ]+-----", "").strip());
        if (!key.contains("PUBLIC KEY")) {
            try {
                return CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(der))
                        .getPublicKey();
            } catch (GeneralSecurityException _) {
                // not a certificate: it may be a bare key
            }
        }
        var family = JWSAlgorithm.Family.EC.contains(settings.algorithm()) ? "EC" : "RSA";
        return KeyFactory.getInstance(family).generatePublic(new X509EncodedKeySpec(der));
    }

    /// Verifies only, with the keys of a set (RFC 7517).
    ///
    /// @throws IllegalArgumentException if it is not such a set
    public static Jwt ofKeySet(JwtSettings settings, String json) {
        try {
            var source = new ImmutableJWKSet<SecurityContext>(JWKSet.parse(json));
            return verifying(new JwtVerifier(settings, JwtKeys.ofSet(source, false), Revocations.local()));
        } catch (ParseException e) {
            throw new IllegalArgumentException("not a set of keys (RFC 7517)", e);
        }
    }

    /// Verifies only, with keys that their issuer publishes. They are fetched when first needed, cached for some
    /// minutes, and fetched again, at a limited rate, when a token names an unknown key.
    public static Jwt ofKeySetAt(JwtSettings settings, URL url) {
        var source = JWKSourceBuilder.<SecurityContext>create(
                        url, new DefaultResourceRetriever(TIMEOUT_MILLIS, TIMEOUT_MILLIS, MAX_SET_BYTES))
                .retrying(true)
                .build();
        return verifying(new JwtVerifier(settings, JwtKeys.ofSet(source, true), Revocations.local()));
    }

    /// Verifies nothing.
    public static Jwt ofNothing(JwtSettings settings) {
        return verifying(new JwtVerifier(settings, (_, _) -> List.of(), Revocations.local()));
    }

    /// A key derived from the secret, equal on all gateways with the secret: for one purpose.
    private static byte[] derived(byte[] secret, String purpose) {
        return Digests.hmac(secret).doFinal(purpose.getBytes(StandardCharsets.UTF_8));
    }

    /// The same, but accepts tokens of accounts only while these accounts exist.
    public Jwt knowing(Generations accounts) {
        return new Jwt(verifier.knowing(accounts), signer, accountKey);
    }

    /// The same, but refuses revoked tokens.
    public Jwt refusing(Revocations revocations) {
        return new Jwt(verifier.refusing(revocations), signer, accountKey);
    }

    /// The same, but accepts tokens for an endpoint only there.
    public Jwt serving(ResourceTokens endpoint) {
        return new Jwt(verifier.serving(endpoint), signer, accountKey);
    }

    /// The key for [Generations].
    public byte[] accountKey() {
        return accountKey.clone();
    }

    /// A key for another purpose, the same wherever the secret is; a random one where there is none.
    public byte[] derivedKey(String purpose) {
        return derived(accountKey, purpose);
    }

    public JwtVerifier verifier() {
        return verifier;
    }

    public Optional<JwtSigner> signer() {
        return Optional.ofNullable(signer);
    }
}
