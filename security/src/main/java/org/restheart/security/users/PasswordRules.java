package org.restheart.security.users;

import com.nulabinc.zxcvbn.Zxcvbn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.security.realm.PasswordHashes;

/// The requirements on new passwords and their stored form.
///
/// @param hash computes the stored form; may block
/// @param hashed whether that is a bcrypt hash, which looks at no more than 72 bytes
public record PasswordRules(UnaryOperator<String> hash, boolean hashed, Optional<Strength> strength) {
    /// Accepts no password: a client that sets the password of an account can log in as it, without the limits of
    /// the API key with which it was set.
    PasswordRules refusingAll() {
        return new PasswordRules(
                _ -> {
                    throw new ProblemException(
                            ProblemCode.FORBIDDEN,
                            "neither an API key nor a token with scopes changes the password of its account: sign in with the password");
                },
                hashed,
                strength);
    }

    /// The stored form of a password.
    ///
    /// @param place in the content, for the message; empty for the only document
    /// @throws org.restheart.http.ProblemException 400
    String accept(String password, String place) {
        if (password.isEmpty()) {
            throw refuse("A password must not be empty" + place);
        }
        if (hashed && password.getBytes(StandardCharsets.UTF_8).length > PasswordHashes.MAX_PASSWORD_BYTES) {
            throw refuse("A password must not be longer than " + PasswordHashes.MAX_PASSWORD_BYTES + " bytes" + place);
        }
        strength.ifPresent(rule -> rule.check(password, place));
        return hash.apply(password);
    }

    /// Refuses passwords that can be guessed, by the score of zxcvbn.
    ///
    /// @param minimum from 0 to 4
    public record Strength(int minimum) {
        private static final Zxcvbn ZXCVBN = new Zxcvbn();

        /// Estimating takes more than linear time; only the characters that bcrypt can use are estimated.
        private void check(String password, String place) {
            var strength = ZXCVBN.measure(
                    password.substring(0, Math.min(password.length(), PasswordHashes.MAX_PASSWORD_BYTES)));
            if (strength.getScore() < minimum) {
                var hints = new ArrayList<String>();
                var warning = strength.getFeedback().getWarning();
                if (!warning.isBlank()) {
                    hints.add(warning);
                }
                hints.addAll(strength.getFeedback().getSuggestions());
                throw Problem.of(ProblemCode.CONTENT_INVALID, "Password is too weak" + place)
                        .withWarnings(hints)
                        .raise();
            }
        }
    }

    static RuntimeException refuse(String message) {
        return new ProblemException(ProblemCode.CONTENT_INVALID, message);
    }
}
