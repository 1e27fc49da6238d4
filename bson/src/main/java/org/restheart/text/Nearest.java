package org.restheart.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/// Finds the known name that is nearest to a misspelt one.
public final class Nearest {
    private Nearest() {}

    /// The candidate with the least [distance][#distance], if that is at most a third of the name's length.
    /// Upper and lower case, and `-` and `_`, count as equal; one letter is near no other.
    public static Optional<String> to(String name, Collection<String> candidates) {
        int limit = name.length() < 2 ? 0 : Math.max(1, name.length() / 3);
        return candidates.stream()
                .filter(candidate -> Math.abs(candidate.length() - name.length()) <= limit) // also bounds the work
                .filter(candidate -> distance(folded(name), folded(candidate)) <= limit)
                .min(Comparator.comparingInt((String candidate) -> distance(folded(name), folded(candidate)))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /// The text `; did you mean …?`, to be appended to a message that refuses `name`; empty if no candidate
    /// is near.
    public static String question(String name, Collection<String> candidates) {
        return to(name, candidates).map(near -> "; did you mean " + near + "?").orElse("");
    }

    private static String folded(String name) {
        return name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// The number of insertions, deletions, replacements and swaps of neighbors that turn one text into the
    /// other (optimal string alignment distance).
    public static int distance(String a, String b) {
        var d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            d[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            d[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replaced, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
