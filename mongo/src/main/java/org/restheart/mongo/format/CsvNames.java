package org.restheart.mongo.format;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/// Mistakes in the first line of CSV files.
public final class CsvNames {
    /// What some programs write before the first line, Excel among them.
    public static final char BYTE_ORDER_MARK = '\uFEFF';

    private static final List<String> OTHER_SEPARATORS = List.of(";", "\t", "|");

    private CsvNames() {}

    /// The separator that the author of a first line of one column probably meant, `\t` for a tab.
    public static Optional<String> separatorIn(String name) {
        return OTHER_SEPARATORS.stream()
                .filter(name::contains)
                .map(separator -> separator.equals("\t") ? "\\t" : separator)
                .findFirst();
    }

    /// The first name that occurs more than once, of which the last column would count.
    public static Optional<String> twice(List<String> names) {
        var seen = new HashSet<String>();
        return names.stream().filter(name -> !name.isEmpty() && !seen.add(name)).findFirst();
    }
}
