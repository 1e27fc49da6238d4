package org.restheart.mcp;

import static org.restheart.bson.BsonValues.object;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonTypes;

/// Collects the fields of documents with types and frequencies, without values. Confined to one call.
final class ObservedFields {
    private static final int MAX_SHOWN = 200;

    /// The most paths that are counted.
    private static final int MAX_COUNTED = 5_000;

    /// The most names in one object; more are assumed to be data rather than field names.
    private static final int MAX_NAMES = 50;

    private static final int MAX_ELEMENTS = 100;

    private final int depth;
    private final Map<String, Field> fields = new LinkedHashMap<>();
    private int documents;

    /// Statistics of one path.
    private static final class Field {
        private final TreeSet<String> types = new TreeSet<>();
        private final TreeSet<String> declared = new TreeSet<>();
        private boolean required;
        private int count;
        private int lastIn = -1;
    }

    /// @param depth the most levels
    ObservedFields(int depth) {
        this.depth = depth;
    }

    int documents() {
        return documents;
    }

    void add(BsonDocument document) {
        documents++;
        members(document, "", 1);
    }

    /// A field that a schema declares.
    ///
    /// @param path with dots; elements of arrays end with `[]`
    /// @param level of nesting, from 1
    /// @return whether fields within it are shown, too
    boolean declare(String path, List<String> types, boolean required, int level) {
        if (level > depth) {
            return false;
        }
        var field = field(path);
        field.ifPresent(known -> {
            known.declared.addAll(types);
            known.required |= required;
        });
        return field.isPresent();
    }

    private void members(BsonDocument object, String path, int level) {
        boolean areNames = object.size() <= MAX_NAMES || path.isEmpty();
        object.forEach((name, value) -> observe(path + (areNames ? name : "*"), value, level));
    }

    private void observe(String path, BsonValue value, int level) {
        var known = field(path);
        if (known.isEmpty()) {
            return;
        }
        var field = known.get();
        field.types.add(BsonTypes.name(value.getBsonType()));
        if (field.lastIn != documents) {
            field.lastIn = documents;
            field.count++;
        }
        if (level >= depth) {
            return;
        }
        if (value.isDocument()) {
            members(value.asDocument(), path + ".", level + 1);
        } else if (value instanceof BsonArray array) {
            array.stream().limit(MAX_ELEMENTS).forEach(element -> observe(path + "[]", element, level + 1));
        }
    }

    /// The statistics of a path; empty beyond the most that are counted.
    private Optional<Field> field(String path) {
        var field = fields.get(path);
        if (field == null && fields.size() < MAX_COUNTED) {
            field = new Field();
            fields.put(path, field);
        }
        return Optional.ofNullable(field);
    }

    /// Sorted by descending frequency.
    ///
    /// @return `{name, types, share}` of each, and of declared ones `declared` and `required`
    BsonArray shown() {
        List<Map.Entry<String, Field>> all = new ArrayList<>(fields.entrySet());
        all.sort(Comparator.comparingInt(entry -> -entry.getValue().count));
        var shown = new BsonArray();
        all.stream().limit(MAX_SHOWN).forEach(entry -> shown.add(shown(entry.getKey(), entry.getValue())));
        return shown;
    }

    private BsonDocument shown(String path, Field field) {
        var shown = object("name", Fence.cut(path), "types", field.types, "share", share(field.count));
        if (!field.declared.isEmpty()) {
            shown.append("declared", BsonTexts.array(field.declared));
        }
        if (field.required) {
            shown.append("required", BsonBoolean.TRUE);
        }
        return shown;
    }

    private BsonValue share(int count) {
        return count == 0
                ? new BsonInt32(0)
                : count == documents ? new BsonInt32(1) : new BsonDouble(Math.round(100.0 * count / documents) / 100.0);
    }

    boolean hasMore() {
        return fields.size() > MAX_SHOWN;
    }
}
