package org.restheart.testkit.conformance;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The values of `${name}` during a case. Confined to one case.
final class CaseVariables {
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_]*)}");

    private final Map<String, String> values = new HashMap<>();

    void put(String name, String value) {
        values.put(name, value);
    }

    /// @throws AssertionError for a name that has no value yet
    String replace(String text) {
        return REFERENCE.matcher(text).replaceAll(reference -> {
            var value = values.get(reference.group(1));
            if (value == null) {
                throw new AssertionError("no variable " + reference.group() + "; there are " + values.keySet());
            }
            return Matcher.quoteReplacement(value);
        });
    }
}
