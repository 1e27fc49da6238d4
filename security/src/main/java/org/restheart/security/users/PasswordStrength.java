package org.restheart.security.users;

import com.nulabinc.zxcvbn.Zxcvbn;
import java.util.ArrayList;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// Refuses passwords that can be guessed, by the score of zxcvbn.
///
/// @param minimum from 0 to 4
public record PasswordStrength(int minimum) {
    /// Estimating takes more than linear time; only the bytes that bcrypt uses are estimated.
    private static final int MAX_ESTIMATED = 72;

    private static final Zxcvbn ZXCVBN = new Zxcvbn();

    /// @param place in the content, for the message; empty for the only document
    /// @throws org.restheart.http.ProblemException 400
    void check(String password, String place) {
        var strength = ZXCVBN.measure(password.substring(0, Math.min(password.length(), MAX_ESTIMATED)));
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
