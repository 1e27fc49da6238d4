package org.restheart.core.config;

import java.util.ArrayList;
import java.util.List;
import org.restheart.core.config.Finding.Level;

/// The syntax of the environment variable `RHO` and of override files that end in `.conf`: `path -> value` pairs,
/// separated by `;`. Neither separates inside quotes. A bad entry is reported and left out.
record OverrideText(String source, Reading reading) {
    List<Assignment> parse(String text) {
        var assignments = new ArrayList<Assignment>();
        for (var entry : split(text)) {
            if (entry.isBlank()) {
                continue;
            }
            try {
                assignments.add(assignment(entry.strip()));
            } catch (ConfigException e) {
                reading.add(new Finding(Level.SUSPECT, "", source + ": " + e.getMessage()));
            }
        }
        return assignments;
    }

    private Assignment assignment(String entry) {
        int arrow = indexOutsideQuotes(entry, "->", 0);
        if (arrow < 0) {
            throw ConfigException.of("invalid override, missing '->' operator: " + beginning(entry)
                    + " (an override is written /block/key -> value)");
        }
        var path = OverridePath.parse(entry.substring(0, arrow).strip());
        return new Assignment(
                path, RelaxedJson.relaxed(entry.substring(arrow + 2).strip(), path.text()), source);
    }

    /// The part that may be shown: the rest may be a secret.
    private static String beginning(String entry) {
        return entry.split("[\\s=:\"'{-]", 2)[0];
    }

    private static List<String> split(String text) {
        var entries = new ArrayList<String>();
        int from = 0;
        for (int end; (end = indexOutsideQuotes(text, ";", from)) >= 0; from = end + 1) {
            entries.add(text.substring(from, end));
        }
        entries.add(text.substring(from));
        return entries;
    }

    private static int indexOutsideQuotes(String text, String wanted, int from) {
        char quote = 0;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                if (c == '\\') {
                    i++;
                } else if (c == quote) {
                    quote = 0;
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (text.startsWith(wanted, i)) {
                return i;
            }
        }
        return -1;
    }
}
