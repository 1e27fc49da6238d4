package org.restheart.http;

import java.util.Set;

/// Sets of names that are written as one text.
public final class Words {
    private Words() {}

    /// @param text different names, separated by white space
    public static Set<String> of(String text) {
        return Set.of(text.strip().split("\\s+"));
    }
}
