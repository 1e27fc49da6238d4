package org.restheart.http.judged;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/// The order of names of databases and collections in lists.
public final class NameOrder {
    /// [String#compareTo] puts characters beyond U+FFFF before some of the others.
    public static final Comparator<String> BY_CODE_POINT =
            Comparator.comparing(name -> name.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    private NameOrder() {}
}
