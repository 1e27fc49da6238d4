package org.restheart.security.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jose.util.Resource;
import com.nimbusds.jose.util.ResourceRetriever;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.http.Digests;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.SecretValues;
import org.restheart.security.Credentials.Lineage;
import org.restheart.security.realm.Generations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The token verifier of one gateway, and the signer if there is a signing key.
public final class Jwt {
    private static final int RANDOM_BYTES = 64;
    private static final int TIMEOUT_MILLIS = 3_000;
    private static final int MAX_SET_BYTES = 512 * 1024;

    /// Settings of all components that use tokens.
    ///
    /// @param algorithm the only one that is accepted
    /// @param issuer empty: not checked, and not written
    /// @param audience every one of them must be in a token's `aud`
    /// @param expiryRequired whether a token without `exp` is refused
    /// @param leeway by which clocks of issuers may differ: for `exp` and `nbf`
    public record Settings(
            JWSAlgorithm algorithm,
            Optional<String> issuer,
            List<String> audience,
            boolean expiryRequired,
            Duration leeway) {
        /// Whether the verifying key can also sign tokens.
        public boolean isSymmetric() {
            return JWSAlgorithm.Family.HMAC_SHA.contains(algorithm);
        }
    }

    private final JwtVerifier verifier;
    private final @Nullable JwtSigner signer;
    private final byte[] accountKey;

    private Jwt(JwtVerifier verifier, @Nullable JwtSigner signer, byte[] accountKey) {
        this.verifier = verifier;
        this.signer = signer;
        this.accountKey = accountKey;
    }

    private static Jwt verifying(JwtVerifier verifier) {
        return new Jwt(verifier, null, SecretValues.random(RANDOM_BYTES));
    }

    /// One secret that signs and verifies.
    ///
    /// @param key empty for a random one that is valid in this process only
    /// @throws IllegalArgumentException if the key does not fit the algorithm
    public static Jwt ofSecret(Settings settings, Optional<String> key) {
        var secret = key.map(text -> text.getBytes(StandardCharsets.UTF_8))
                .orElseGet(() -> SecretValues.random(RANDOM_BYTES));
        // RFC 7518, 3.2 requires as many bits as the hash has; shorter keys were always accepted here, with a warning,
        // and HMAC pads keys with zeros, so that padding them does not change any signature.
        var padded = Arrays.copyOf(secret, Math.max(secret.length, RANDOM_BYTES));
        try {
            return new Jwt(
                    new JwtVerifier(settings, Keys.ofSecret(padded)),
                    new JwtSigner(settings, padded),
                    derived(padded, "account generations"));
        } catch (JOSEException e) {
            throw new IllegalArgumentException("key does not fit " + settings.algorithm(), e);
        }
    }

    /// Verifies only.
    ///
    /// @param key Base64 of an X.509 certificate or of a public key; PEM with its header lines is accepted
    /// @throws IllegalArgumentException if the key does not fit the algorithm
    public static Jwt ofPublicKey(Settings settings, String key) {
        try {
            return verifying(new JwtVerifier(settings, Keys.ofPublicKey(publicKey(settings, key))));
        } catch (JOSEException | GeneralSecurityException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "key must be a certificate or a public key for " + settings.algorithm() + ", in Base64", e);
        }
    }

    private static PublicKey publicKey(Settings settings, String key) throws GeneralSecurityException {
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
    public static Jwt ofKeySet(Settings settings, String json) {
        try {
            var source = new ImmutableJWKSet<SecurityContext>(JWKSet.parse(UsableKeys.of(json)));
            return verifying(new JwtVerifier(settings, Keys.ofSet(source, false)));
        } catch (ParseException e) {
            throw new IllegalArgumentException("not a set of keys (RFC 7517)", e);
        }
    }

    /// Verifies only, with keys that their issuer publishes. They are fetched when first needed, cached for some
    /// minutes, and fetched again, at a limited rate, when a token names an unknown key.
    public static Jwt ofKeySetAt(Settings settings, URL url) {
        var source = JWKSourceBuilder.<SecurityContext>create(
                        url,
                        new UsableKeys(new DefaultResourceRetriever(TIMEOUT_MILLIS, TIMEOUT_MILLIS, MAX_SET_BYTES)))
                .retrying(true)
                .build();
        return verifying(new JwtVerifier(settings, Keys.ofSet(source, true)));
    }

    public static Jwt ofNothing(Settings settings) {
        return verifying(new JwtVerifier(settings, (_, _) -> List.of()));
    }

    /// A key derived from the secret, equal on all gateways with the secret: for one purpose.
    private static byte[] derived(byte[] secret, String purpose) {
        return Digests.hmac(secret).doFinal(purpose.getBytes(StandardCharsets.UTF_8));
    }

    /// The same for one gateway.
    ///
    /// @param accounts tokens of accounts are accepted only while these exist
    /// @param endpoint whose tokens are accepted only there
    public Jwt with(Generations accounts, Revocations revocations, Optional<ResourceTokens> endpoint) {
        return new Jwt(verifier.with(accounts, revocations, endpoint), signer, accountKey);
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

    /// Finds the keys that verify a token. Keys always come from the configuration, never from a token's header.
    /// Thread-safe.
    @FunctionalInterface
    interface Keys {
        /// @throws org.restheart.http.ProblemException 503 if the keys cannot be fetched now
        List<JWSVerifier> verifiers(Request request, JWSHeader header) throws JOSEException;

        static Keys ofSecret(byte[] secret) throws JOSEException {
            var verifiers = List.<JWSVerifier>of(new MACVerifier(secret));
            return (_, _) -> verifiers;
        }

        static Keys ofPublicKey(PublicKey key) throws JOSEException {
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
        static Keys ofSet(JWKSource<SecurityContext> source, boolean remote) {
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
                    throw Problem.of(
                                    ProblemCode.OVERLOADED,
                                    "the keys of the token issuer cannot be loaded at the moment")
                            .with("Retry-After", "5")
                            .raise();
                }
            };
        }

        static JWSVerifier verifier(JWK key) throws JOSEException {
            return switch (key) {
                case RSAKey rsa -> new RSASSAVerifier(rsa);
                case ECKey ec -> new ECDSAVerifier(ec);
                case OctetSequenceKey secret -> new MACVerifier(secret);
                default -> throw new JOSEException("unsupported type of key");
            };
        }
    }

    /// Takes out of a set of keys those that this gateway cannot use, so that they do not make the others
    /// useless (RFC 7517, section 5), and logs why, once as long as the reasons stay the same.
    /// Thread-safe.
    static final class UsableKeys implements ResourceRetriever {
        private static final Logger LOG = LoggerFactory.getLogger(UsableKeys.class);
        private static final String KEYS = "keys";

        private final ResourceRetriever from;
        private volatile String problem = "";

        UsableKeys(ResourceRetriever from) {
            this.from = from;
        }

        @Override
        public Resource retrieveResource(URL url) throws IOException {
            try {
                var resource = from.retrieveResource(url);
                var problems = new ArrayList<String>();
                var usable = of(resource.getContent(), problems);
                report(problems.isEmpty() ? "" : "Keys at " + url + " are not used: " + String.join("; ", problems));
                return new Resource(usable, resource.getContentType());
            } catch (ParseException e) {
                report("There is no set of keys (RFC 7517) at " + url);
                throw new IOException("not a set of keys", e);
            } catch (IOException e) {
                report("The keys of the token issuer cannot be loaded from " + url + ": " + e.getMessage());
                throw e;
            }
        }

        /// The set of a text that is at hand.
        static String of(String json) throws ParseException {
            var problems = new ArrayList<String>();
            var usable = of(json, problems);
            problems.forEach(why -> LOG.warn("A key of /jwtConfigProvider/jwks is not used: {}", why));
            return usable;
        }

        private static String of(String json, List<String> problems) throws ParseException {
            var set = JSONObjectUtils.parse(json);
            if (!(set.get(KEYS) instanceof List<?> keys)) {
                throw new ParseException("no keys", 0);
            }
            var usable = new ArrayList<Object>();
            for (var key : keys) {
                try {
                    var _ = Jwt.Keys.verifier(JWK.parse(JSONObjectUtils.toJSONString(object(key))));
                    usable.add(key);
                } catch (ParseException | JOSEException | IllegalArgumentException | IllegalStateException e) {
                    problems.add(name(key) + " (" + e.getMessage() + ")");
                }
            }
            set.put(KEYS, usable);
            return JSONObjectUtils.toJSONString(set);
        }

        @SuppressWarnings("unchecked") // an object of JSON has texts as keys
        private static Map<String, Object> object(Object key) throws ParseException {
            if (key instanceof Map<?, ?> map) {
                return (Map<String, Object>) map;
            }
            throw new ParseException("is no JSON object", 0);
        }

        private static String name(Object key) {
            return key instanceof Map<?, ?> map && map.get("kid") instanceof String id ? id : "one without a kid";
        }

        private void report(String found) {
            if (!found.isEmpty() && !found.equals(problem)) {
                LOG.warn("{}", found.replaceAll("\\p{Cntrl}", "?"));
            }
            problem = found;
        }
    }

    /// Signs tokens with a key that only the servers of one cluster have. Thread-safe.
    public static final class JwtSigner {
        private static final JsonWriterSettings JSON =
                JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

        private final Jwt.Settings settings;
        private final MACSigner signer;

        JwtSigner(Jwt.Settings settings, byte[] secret) throws JOSEException {
            this.settings = settings;
            this.signer = new MACSigner(secret);
        }

        public record Signed(String token, Claims claims) {
            @Override
            public String toString() {
                return "Signed[" + claims + "]";
            }
        }

        /// A token for an account.
        ///
        /// @param more claims beyond the registered ones; an `aud` is appended to the configured audience
        /// @param lineage of the account; empty if it belongs to no realm
        public Signed sign(String subject, Duration lifetime, BsonDocument more, Optional<Lineage> lineage) {
            return sign(JOSEObjectType.JWT, subject, lifetime, more, lineage);
        }

        /// An authorization code, which is not accepted as a token.
        public Signed signCode(String subject, Duration lifetime, BsonDocument more, Optional<Lineage> lineage) {
            return sign(JwtVerifier.CODE, subject, lifetime, more, lineage);
        }

        private Signed sign(
                JOSEObjectType type, String subject, Duration lifetime, BsonDocument more, Optional<Lineage> lineage) {
            var claims = new BsonDocument();
            settings.issuer().ifPresent(issuer -> claims.append("iss", new BsonString(issuer)));
            claims.append("sub", new BsonString(subject))
                    .append("exp", new BsonInt64(Instant.now().plus(lifetime).getEpochSecond()))
                    .append("jti", new BsonString(UUID.randomUUID().toString()));
            var audience = new ArrayList<>(settings.audience());
            audience.addAll(new Claims(more).audience());
            switch (audience.size()) {
                case 0 -> {}
                case 1 -> claims.append("aud", new BsonString(audience.getFirst()));
                default -> claims.append("aud", BsonTexts.array(audience));
            }
            more.forEach(claims::putIfAbsent);
            var header = new JWSHeader.Builder(settings.algorithm()).type(type);
            lineage.ifPresent(known -> Claims.write(known, header));
            var jws = new JWSObject(header.build(), new Payload(claims.toJson(JSON)));
            try {
                jws.sign(signer);
            } catch (JOSEException e) {
                throw new IllegalStateException("signing failed", e); // key and algorithm were checked at start
            }
            return new Signed(jws.serialize(), new Claims(claims, lineage));
        }
    }
}
