package org.restheart.security.jwt;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.Account;
import org.restheart.security.Credentials.Lineage;

/// The claims of a token with a valid signature (RFC 7519, 4.1). Immutable; the payload must not be changed.
///
/// @param lineage from the token's header: the account for which it was issued
public record Claims(BsonDocument payload, Optional<Lineage> lineage) {
    public Claims(BsonDocument payload) {
        this(payload, Optional.empty());
    }

    /// The name of an account in its realm: that of a token's account may be another claim.
    public static String realmName(Account account) {
        return new Claims(account.claims()).text("sub").orElse(account.name());
    }

    public Optional<String> text(String name) {
        return payload.get(name) instanceof BsonString text ? Optional.of(text.getValue()) : Optional.empty();
    }

    /// `jti`.
    public Optional<String> id() {
        return text("jti");
    }

    /// `exp`.
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
    /// @return empty for any other value
    public Optional<List<String>> texts(String name) {
        var value = payload.get(name);
        if (value == null || value.isNull()) {
            return Optional.of(List.of());
        }
        return value instanceof BsonArray array && array.stream().allMatch(BsonValue::isString)
                ? Optional.of(
                        array.stream().map(role -> role.asString().getValue()).toList())
                : Optional.empty();
    }

    /// `scope` (RFC 8693, 4.2).
    Set<String> scopes() {
        return text("scope")
                .map(scope -> Stream.of(scope.split(" +"))
                        .filter(name -> !name.isEmpty())
                        .collect(Collectors.toUnmodifiableSet()))
                .orElse(Set.of());
    }

    /// Whether the time claims that are present are valid times and include now. No leeway.
    boolean areValidAt(Instant now, boolean expiryRequired) {
        return isTimeIfPresent("exp")
                && isTimeIfPresent("nbf")
                && isTimeIfPresent("iat")
                && expires().map(now::isBefore).orElse(!expiryRequired)
                && !time("nbf").filter(now::isBefore).isPresent()
                && !time("iat").filter(now::isBefore).isPresent();
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
}
