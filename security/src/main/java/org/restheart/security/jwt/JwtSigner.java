package org.restheart.security.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.restheart.bson.BsonTexts;
import org.restheart.security.Credentials.Lineage;

/// Signs tokens with a key that only the servers of one cluster have. Thread-safe.
public final class JwtSigner {
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
