package org.restheart.security;

import java.time.Instant;
import java.util.Optional;
import org.restheart.http.Key;

/// How an account has shown who it is.
///
/// @param source the realm or the issuer that knows the account: two accounts of one name from different
///     sources are not the same
/// @param token what was shown, if it was a token and not a password
public record Credentials(String source, Optional<Token> token) {
    /// Set by the door for authenticated requests.
    public static final Key<Credentials> KEY = Key.named("credentials");

    /// A token.
    ///
    /// @param id its `jti`
    public record Token(String text, Optional<String> id, Optional<Instant> expires) {
        @Override
        public String toString() {
            return "Token[" + id.orElse("") + "]";
        }
    }

    public static Credentials password(String source) {
        return new Credentials(source, Optional.empty());
    }

    /// When they end, if they do.
    public Optional<Instant> expires() {
        return token.flatMap(Token::expires);
    }
}
