package org.restheart.core.config;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/// Trees of plain values: maps, lists, texts, numbers, booleans and nulls.
final class Trees {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Trees() {}

    /// The map with its keys as texts: YAML also allows numbers and booleans there.
    static Map<String, @Nullable Object> block(Map<?, ?> map) {
        var block = new LinkedHashMap<String, @Nullable Object>();
        map.forEach((key, value) -> block.put(String.valueOf(key), value));
        return block;
    }

    /// The map itself, as a block of a tree, which has texts as keys throughout.
    @SuppressWarnings("unchecked")
    static Map<String, @Nullable Object> asBlock(Map<?, ?> map) {
        return (Map<String, @Nullable Object>) map;
    }

    /// A copy that can be changed, with texts as keys throughout.
    static Map<String, @Nullable Object> copy(Map<?, ?> map) {
        var copy = new LinkedHashMap<String, @Nullable Object>();
        map.forEach((key, value) -> copy.put(String.valueOf(key), copyOf(value)));
        return copy;
    }

    static @Nullable Object copyOf(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> map -> copy(map);
            case List<?> list -> {
                var copy = new ArrayList<@Nullable Object>(list.size());
                list.forEach(member -> copy.add(copyOf(member)));
                yield copy;
            }
            case BigInteger number -> new BigDecimal(number); // which BSON has
            case null -> null;
            default -> value;
        };
    }

    /// The value on one line, for messages.
    static String inline(@Nullable Object value) {
        return JSON.writeValueAsString(value);
    }
}
