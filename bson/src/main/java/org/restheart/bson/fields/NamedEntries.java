package org.restheart.bson.fields;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.text.ShortText;

/// The entries of a collection's properties `aggrs` and `streams`, whose names are their `uri`.
public final class NamedEntries {
    private static final int MAX_NAME = 100;

    private NamedEntries() {}

    /// The entries of a property by name, in their order; of those with equal names, the first applies. Others are left
    /// out.
    ///
    /// @return modifiable
    public static Map<String, BsonDocument> of(@Nullable BsonValue property) {
        var entries = new LinkedHashMap<String, BsonDocument>();
        if (property instanceof BsonArray array) {
            for (var each : array) {
                if (each instanceof BsonDocument entry && entry.get("uri") instanceof BsonString uri) {
                    entries.putIfAbsent(uri.getValue(), entry);
                }
            }
        }
        return entries;
    }

    /// A warning for each name that several entries have, of which the first is used, and for each that requests have
    /// to spell otherwise, since it is one segment of their path, or cannot have.
    public static List<String> warnings(String property, List<String> names) {
        var repeated = names.stream()
                .filter(name -> Collections.frequency(names, name) > 1)
                .distinct()
                .map(name -> property + ": several have the uri " + name + ", of which the first is used");
        var unusual = names.stream()
                .filter(name -> name.contains("/") || Set.of("", ".", "..").contains(name))
                .distinct()
                .map(name -> property + ": the uri '" + ShortText.of(name, MAX_NAME) + "' is one segment of a path: "
                        + (name.contains("/") ? "requests spell a slash in it as %2F" : "no request can have it"));
        return Stream.concat(repeated, unusual).toList();
    }
}
