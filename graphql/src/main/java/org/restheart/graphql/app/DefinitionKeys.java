package org.restheart.graphql.app;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.graphql.app.DefinitionWarnings.Misspellings;
import org.restheart.http.KnownKeys;

/// The keys that a definition may have. Other keys have no effect, which is seldom intended.
final class DefinitionKeys {
    private static final KnownKeys DEFINITION = KnownKeys.of("descriptor schema mappings documents");

    /// `name` is what earlier releases called the URI.
    private static final KnownKeys DESCRIPTOR = KnownKeys.of("uri description enabled name");

    /// With the words that other products have for keys of mappings.
    private static final KnownKeys EVERY =
            KnownKeys.of("db collection as allowOperators dataLoader").meantBy("""
                database=db coll=collection filter=find query=find match=find where=find order=sort orderby=sort
                offset=skip pagesize=limit first=limit pipeline=stages aggregate=stages aggregation=stages\
                """);

    private static final KnownKeys FIND = EVERY.and("find sort skip limit");
    private static final KnownKeys PIPELINE = EVERY.and("stages allowDiskUse");
    private static final KnownKeys STREAM = EVERY.and("stream avars path");
    private static final KnownKeys LOADER = KnownKeys.of("batching caching maxBatchSize");

    private DefinitionKeys() {}

    /// @param fields the mapped fields, as `Type.field`
    /// @throws InvalidApp naming an unknown key and the one that is nearest
    static void check(BsonDocument definition, Set<String> fields) throws InvalidApp {
        var faults = new ArrayList<String>();
        ofMappings(definition, fields, faults, new ArrayList<>());
        if (!faults.isEmpty()) {
            throw new InvalidApp(faults.getFirst());
        }
    }

    /// @param faults takes those because of which a field may show more than is meant
    /// @param harmless takes the others
    private static void ofMappings(
            BsonDocument definition, Set<String> fields, List<String> faults, List<String> harmless) {
        unknown(definition.get("descriptor"), DESCRIPTOR, "the descriptor", faults);
        var mappings = definition.getDocument("mappings");
        for (var name : fields) {
            int dot = name.indexOf('.');
            if (mappings.get(name.substring(0, dot)) instanceof BsonDocument type
                    && type.get(name.substring(dot + 1)) instanceof BsonDocument mapping) {
                unknown(mapping, keys(mapping), "the mapping for " + name, faults);
                unknown(mapping.get("dataLoader"), LOADER, "dataLoader of the mapping for " + name, harmless);
                checkLoader(mapping.get("dataLoader"), name, faults);
            }
        }
    }

    /// Warnings about keys of the definition itself, without those that begin with `_`, which are the data API's; and
    /// about keys for which [#check] would have refused it.
    static List<String> warnings(BsonDocument definition, Set<String> fields) {
        var own = new BsonDocument();
        definition.forEach((key, value) -> {
            if (!key.startsWith("_")) {
                own.append(key, value);
            }
        });
        var faults = new ArrayList<String>();
        ofMappings(definition, fields, faults, faults);
        unknown(own, DEFINITION, "the definition", faults);
        return faults;
    }

    /// A sentence about the key that was probably meant to be the missing one; empty if there is none.
    static String misspelt(String missing, BsonDocument definition) {
        return Misspellings.misspelt(missing, definition.keySet(), DEFINITION);
    }

    /// The same of a mapping.
    static String misspeltInMapping(String missing, BsonDocument mapping) {
        return Misspellings.misspelt(missing, mapping.keySet(), keys(mapping));
    }

    private static void checkLoader(@Nullable BsonValue value, String name, List<String> faults) {
        if (!(value instanceof BsonDocument loader)) {
            return;
        }
        for (var flag : List.of("batching", "caching")) {
            if (loader.containsKey(flag) && !loader.isBoolean(flag)) {
                faults.add("'" + flag + "' must be a Boolean in dataLoader of the mapping for " + name);
            }
        }
        var size = loader.get("maxBatchSize");
        if (size != null && !(size.isNumber() && size.asNumber().doubleValue() >= 1)) {
            faults.add("'maxBatchSize' must be 1 or more in dataLoader of the mapping for " + name);
        }
    }

    private static KnownKeys keys(BsonDocument mapping) {
        return mapping.containsKey("stream") ? STREAM : mapping.containsKey("stages") ? PIPELINE : FIND;
    }

    private static void unknown(@Nullable BsonValue value, KnownKeys keys, String where, List<String> faults) {
        if (value instanceof BsonDocument document) {
            for (var key : document.keySet()) {
                if (!keys.known().contains(key)) {
                    faults.add("'" + key + "' has no effect in " + where + keys.question(key));
                }
            }
        }
    }
}
