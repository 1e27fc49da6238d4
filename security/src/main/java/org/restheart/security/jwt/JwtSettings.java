package org.restheart.security.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import java.util.List;
import java.util.Optional;

/// What all components that have to do with tokens share.
///
/// @param algorithm the only one that is accepted
/// @param issuer empty: not checked, and not written
/// @param audience every one of them must be in a token's `aud`
/// @param expiryRequired whether a token without `exp` is refused
public record JwtSettings(
        JWSAlgorithm algorithm, Optional<String> issuer, List<String> audience, boolean expiryRequired) {
    /// Whether tokens can also be made with the key that verifies them.
    public boolean isSymmetric() {
        return JWSAlgorithm.Family.HMAC_SHA.contains(algorithm);
    }
}
