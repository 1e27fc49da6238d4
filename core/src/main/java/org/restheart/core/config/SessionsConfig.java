package org.restheart.core.config;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.Optional;

/// The sessions of `dataApi`.
///
/// @param access lifetime of access tokens
/// @param refresh lifetime of sessions
/// @param anonymous the account of clients that have none
/// @param stored the collection of refresh tokens
public record SessionsConfig(Duration access, Duration refresh, Optional<String> anonymous, MongoNamespace stored) {

    /// The collection of refresh tokens, also while there are no sessions: what is in it counts as soon as there are.
    static MongoNamespace stored(Block block) {
        return new MongoNamespace(
                block.text("sessions-db", "restheart"), block.text("sessions-collection", "_refreshTokens"));
    }

    /// Empty when there are no sessions.
    static Optional<SessionsConfig> read(Block block, SecurityTokens tokens, boolean mongo) {
        if (!block.bool("enabled", false) || !block.bool("login", false)) {
            return Optional.empty();
        }
        if (tokens.bearer().isEmpty() || !tokens.jwt().canSign()) {
            block.refuse(
                    "login",
                    "needs jwtAuthenticationMechanism, with a key that can sign: access tokens are bearer tokens");
            return Optional.empty();
        }
        if (!mongo) {
            block.refuse("login", "needs mclient/enabled: refresh tokens are stored");
            return Optional.empty();
        }
        return Optional.of(new SessionsConfig(
                block.minutes("access-ttl", 30, 1, 1_440),
                Duration.ofDays(block.integer("refresh-ttl", 60, 1, 3_650)),
                block.optionalText("anonymous-account"),
                stored(block)));
    }
}
