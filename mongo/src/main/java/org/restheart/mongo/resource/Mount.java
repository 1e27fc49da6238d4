package org.restheart.mongo.resource;

import java.util.Arrays;
import java.util.List;

/// Binds a path of the server (`where`) to a MongoDB resource (`what`): `*`, `/db`, `/db/coll` or
/// `/db/coll/doc`. Either both are literal, or `where` has variables (`/{tenant}/{*}`) that `what` repeats.
/// Immutable.
public record Mount(String what, String where) {
    public Mount {
        if (!where.startsWith("/")) {
            throw new IllegalArgumentException("mongo-mounts: where must start with / but was " + where);
        }
        if (what.isEmpty()) {
            throw new IllegalArgumentException("mongo-mounts: what must not be empty (where: " + where + ")");
        }
    }

    boolean isTemplate() {
        return where.contains("{");
    }

    List<String> whereSegments() {
        return split(where);
    }

    /// Empty for everything.
    List<String> whatSegments() {
        return what.equals("*") || what.equals("/*") ? List.of() : split(what);
    }

    static List<String> split(String path) {
        return Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList();
    }
}
