package org.restheart.http.judged;

import java.util.Comparator;

/// The order of names of databases and collections in lists.
public final class NameOrder {
    /// [String#compareTo] puts characters beyond U+FFFF before some of the others.
    public static final Comparator<String> BY_CODE_POINT = (a, b) -> {
        int i = 0;
        while (i < a.length() && i < b.length()) {
            int ofA = a.codePointAt(i);
            int ofB = b.codePointAt(i);
            if (ofA != ofB) {
                return Integer.compare(ofA, ofB);
            }
            i += Character.charCount(ofA);
        }
        return Integer.compare(a.length(), b.length());
    };

    private NameOrder() {}
}
