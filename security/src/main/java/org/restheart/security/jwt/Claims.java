package org.restheart.security.jwt;

import com.nimbusds.jose.JWSHeader;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.http.access.Account;
import org.restheart.security.Credentials.Lineage;
import org.restheart.security.Credentials.Origin;

/// The claims of a token with a valid signature (RFC 7519, 4.1). Immutable; the payload must not be changed.
///
/// @param lineage from the token's header: the account for which it was issued
public record Claims(BsonDocument payload, Optional<Lineage> lineage) {
    private static final String ID = "rh-lineage";
    private static final String SOURCE = "rh-source";
    private static final String GENERATION = "rh-generation";
    private static final String API_KEY = "rh-key";
    private static final String ANONYMOUS = "rh-anonymous";

    public Claims(BsonDocument payload) {
        this(payload, Optional.empty());
    }

    /// The name of an account in its realm: that of a token's account may be another claim.
    public static String realmName(Account account) {
        return new Claims(account.claims()).text("sub").orElse(account.name());
    }

    public Optional<String> text(String name) {
        return BsonTexts.of(payload, name);
    }

    public Optional<String> id() {
        return text("jti");
    }

    public Optional<Instant> expires() {
        return time("exp");
    }

    Optional<Instant> time(String name) {
        var value = payload.get(name);
        if (value == null || !value.isNumber()) {
            return Optional.empty();
        }
        double seconds = value.asNumber().doubleValue();
        return Math.abs(seconds) < 1e15
                ? Optional.of(Instant.ofEpochMilli((long) (seconds * 1_000)))
                : Optional.empty();
    }

    /// A list of texts; none if the claim is absent or null.
    ///
    /// @param path the claim, or claims within each other, such as `realm_access.roles`; a claim of the whole name
    ///     comes first
    /// @return empty for any other value
    public Optional<List<String>> texts(String path) {
        var value = at(payload, path);
        if (value == null || value.isNull()) {
            return Optional.of(List.of());
        }
        return BsonTexts.only(value);
    }

    private static @Nullable BsonValue at(BsonDocument claims, String path) {
        var value = claims.get(path);
        for (int dot = path.indexOf('.'); value == null && dot >= 0; dot = path.indexOf('.', dot + 1)) {
            if (claims.get(path.substring(0, dot)) instanceof BsonDocument inner) {
                value = at(inner, path.substring(dot + 1));
            }
        }
        return value;
    }

    /// `scope` (RFC 8693, 4.2).
    Set<String> scopes() {
        return text("scope")
                .map(scope -> Stream.of(scope.split(" +"))
                        .filter(name -> !name.isEmpty())
                        .collect(Collectors.toUnmodifiableSet()))
                .orElse(Set.of());
    }

    /// Whether `exp` and `nbf` are times, where they are present, and include now. `iat` only informs (RFC 7519,
    /// 4.1.6).
    ///
    /// @param leeway by which the issuer's clock may differ
    boolean areValidAt(Instant now, Duration leeway, boolean expiryRequired) {
        return isTimeIfPresent("exp")
                && isTimeIfPresent("nbf")
                && expires().map(now.minus(leeway)::isBefore).orElse(!expiryRequired)
                && !time("nbf").filter(now.plus(leeway)::isBefore).isPresent();
    }

    private boolean isTimeIfPresent(String name) {
        return !payload.containsKey(name) || time(name).isPresent();
    }

    /// `aud`, which is a string or a list of strings.
    List<String> audience() {
        return payload.get("aud") instanceof BsonString one
                ? List.of(one.getValue())
                : texts("aud").orElse(List.of());
    }

    /// Whether all of them are in `aud`, which is a string or a list of strings.
    boolean areFor(List<String> audience) {
        if (audience.isEmpty()) {
            return true;
        }
        @Nullable BsonValue aud = payload.get("aud");
        if (aud instanceof BsonString one) {
            return audience.equals(List.of(one.getValue()));
        }
        return aud != null
                && texts("aud").filter(all -> all.containsAll(audience)).isPresent();
    }

    @Override
    public String toString() {
        return "Claims" + payload.keySet();
    }

    /// Writes a lineage as private header parameters (RFC 7515, 4.3), so that the claims, which clients and access
    /// rules see, are unchanged.
    static void write(Lineage lineage, JWSHeader.Builder header) {
        header.customParam(ID, lineage.id())
                .customParam(SOURCE, lineage.source())
                .customParam(GENERATION, lineage.generation());
        switch (lineage.origin()) {
            case Origin.Password() -> {}
            case Origin.ApiKey(var handle) -> header.customParam(API_KEY, handle);
            case Origin.Nothing() -> header.customParam(ANONYMOUS, true);
        }
    }

    static Optional<Lineage> lineage(JWSHeader header) {
        return header.getCustomParam(ID) instanceof String id
                        && header.getCustomParam(SOURCE) instanceof String source
                        && header.getCustomParam(GENERATION) instanceof String generation
                ? Optional.of(new Lineage(id, source, generation, origin(header)))
                : Optional.empty();
    }

    private static Origin origin(JWSHeader header) {
        if (header.getCustomParam(ANONYMOUS) != null) {
            return new Origin.Nothing();
        }
        var handle = header.getCustomParam(API_KEY);
        return handle == null ? new Origin.Password() : new Origin.ApiKey(handle.toString());
    }
}
