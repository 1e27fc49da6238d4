package org.restheart.security.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import java.util.List;
import java.util.Optional;

/// Settings of all components that use tokens.
///
/// @param algorithm the only one that is accepted
/// @param issuer empty: not checked, and not written
/// @param audience every one of them must be in a token's `aud`
/// @param expiryRequired whether a token without `exp` is refused
public record JwtSettings(
        JWSAlgorithm algorithm, Optional<String> issuer, List<String> audience, boolean expiryRequired) {
    /// Whether the verifying key can also sign tokens.
    public boolean isSymmetric() {
        return JWSAlgorithm.Family.HMAC_SHA.contains(algorithm);
    }
}
