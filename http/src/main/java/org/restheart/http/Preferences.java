package org.restheart.http;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The preferences of a request (RFC 7240). Immutable.
///
/// @param values the first one of each preference, in lower case
public record Preferences(Map<String, String> values) {
    public static final String APPLIED = "Preference-Applied";
    private static final String MAX_AFFECTED = "max-affected";

    public Preferences {
        values = Map.copyOf(values);
    }

    public static Preferences of(Request request) {
        var preferences = new HashMap<String, String>();
        for (var line : request.headers().all("Prefer")) {
            for (var part : line.split("[,;]", -1)) {
                var text = part.replaceAll("[\"\\s]", "").toLowerCase(Locale.ROOT);
                int equals = text.indexOf('=');
                preferences.putIfAbsent(
                        equals < 0 ? text : text.substring(0, equals), equals < 0 ? "" : text.substring(equals + 1));
            }
        }
        return new Preferences(preferences);
    }

    /// `representation` or `minimal`, if the client has a preference.
    public String wanted() {
        return values.getOrDefault("return", "");
    }

    /// Whether nothing is to be carried out for good.
    public boolean isRehearsal() {
        var end = values.getOrDefault("tx", "commit");
        if (!end.equals("rollback") && !end.equals("commit")) {
            throw refusal("tx must be rollback or commit");
        }
        return end.equals("rollback");
    }

    /// How many documents a change may affect, as sent; empty if that is not bounded, or if the bound may be ignored.
    public Optional<String> maxAffected() {
        return Optional.ofNullable(values.get(MAX_AFFECTED)).filter(_ -> !isLenient());
    }

    /// Whether there is such a bound that may be ignored.
    public boolean ignoresMaxAffected() {
        return values.containsKey(MAX_AFFECTED) && isLenient();
    }

    private boolean isLenient() {
        return "lenient".equals(values.get("handling"));
    }

    public static ProblemException refusal(String why) {
        return new ProblemException(ProblemCode.BAD_REQUEST, "Prefer: " + why);
    }
}
