package org.restheart.rest.content;

import static org.restheart.rest.content.DataContent.invalid;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.UnusablePathException;

/// Expands dotted keys at the top of a document that is stored whole: `{"a.b": 1, "l.1": "x"}` means
/// `{"a": {"b": 1}, "l": [null, "x"]}`. A number is a position in an array, except at the beginning of a key.
///
/// Conflicting keys are refused. Confined to one document.
final class DottedKeys {
    /// Bounds the nulls that a large array index creates.
    private static final int MAX_GAPS = 100_000;

    /// Bounds the documents that short names create: each takes many times the memory of its name.
    private static final int MAX_LEVELS = 100_000;

    /// Containers that were made here, so that they may be changed: content is shared and may be bytes.
    private final Set<BsonValue> own = Collections.newSetFromMap(new IdentityHashMap<>());

    private int gaps;
    private int levels;

    private DottedKeys() {}

    private record Path(String key, List<String> names, BsonValue value) {}

    /// The same document if it has no dotted key, else a copy.
    static BsonDocument expand(BsonDocument document) {
        return hasDots(document) ? new DottedKeys().copy(document) : document;
    }

    /// A path that a client sends, unless it is too long.
    static <T> T read(String path, Function<String, T> reader) {
        try {
            return reader.apply(path);
        } catch (UnusablePathException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private static boolean hasDots(BsonDocument document) {
        var names = document instanceof RawBsonDocument raw ? RawDocuments.names(raw) : document.keySet();
        return names.stream().anyMatch(key -> key.indexOf('.') >= 0);
    }

    private BsonDocument copy(BsonDocument document) {
        var expanded = new BsonDocument();
        own.add(expanded);
        var paths = new ArrayList<Path>();
        document.forEach((key, value) -> {
            if (key.indexOf('.') < 0) {
                expanded.put(key, value);
            } else {
                var names = read(key, FieldPath::steps);
                count(names.size() - 1);
                paths.add(new Path(key, names, inside(value)));
            }
        });
        paths.sort(Comparator.comparingInt(path -> path.names().size())); // containers before their contents
        paths.forEach(path -> put(expanded, path));
        return expanded;
    }

    private void count(int made) {
        levels += made;
        if (levels > MAX_LEVELS) {
            throw invalid("the dotted keys of a document, and the containers that they change, have more than "
                    + MAX_LEVELS + " dots and members");
        }
    }

    /// Documents inside an array that a dotted key holds are expanded too.
    private BsonValue inside(BsonValue value) {
        if (!hasDotsInside(value)) {
            return value;
        }
        var array = new BsonArray();
        own.add(array);
        value.asArray().forEach(element -> {
            count(1);
            array.add(
                    element.isDocument() && hasDots(element.asDocument())
                            ? copy(element.asDocument())
                            : inside(element));
        });
        return array;
    }

    private static boolean hasDotsInside(BsonValue value) {
        return value.isArray()
                && value.asArray().stream()
                        .anyMatch(element ->
                                element.isDocument() ? hasDots(element.asDocument()) : hasDotsInside(element));
    }

    /// The same container, if it may be changed, or a copy of it; any other value as it is.
    private BsonValue own(BsonValue value) {
        if (own.contains(value) || !(value.isDocument() || value.isArray())) {
            return value;
        }
        BsonValue copy;
        if (value.isDocument()) {
            count(value.asDocument().size());
            copy = NewDocument.copy(value.asDocument());
        } else {
            count(value.asArray().size());
            copy = new BsonArray(value.asArray());
        }
        own.add(copy);
        return copy;
    }

    private void put(BsonDocument root, Path path) {
        if (path.names().contains("")) {
            throw invalid("illegal key '" + path.key() + "': a name between dots is empty");
        }
        BsonValue at = root;
        int last = path.names().size() - 1;
        for (int i = 0; i < last; i++) {
            at = child(at, path, i);
        }
        if (at.isArray()) {
            int index = index(path, last);
            if (fill(at.asArray(), index, path).isNull()) {
                at.asArray().set(index, path.value());
                return;
            }
        } else if (at.isDocument()
                && !isIndex(path.names().get(last))
                && at.asDocument().putIfAbsent(path.names().get(last), path.value()) == null) {
            return;
        }
        throw contradiction(path);
    }

    /// The container below `parent` on the path, created if it is missing.
    private BsonValue child(BsonValue parent, Path path, int depth) {
        var name = path.names().get(depth);
        if (parent.isArray()) {
            int index = index(path, depth);
            var found = fill(parent.asArray(), index, path);
            var child = found.isNull() ? container(path, depth + 1) : own(found);
            parent.asArray().set(index, child);
            return child;
        }
        if (!parent.isDocument() || (depth > 0 && isIndex(name))) {
            throw contradiction(path);
        }
        var found = parent.asDocument().get(name);
        var child = found == null ? container(path, depth + 1) : own(found);
        parent.asDocument().put(name, child);
        return child;
    }

    private BsonValue container(Path path, int depth) {
        BsonValue made = isIndex(path.names().get(depth)) ? new BsonArray() : new BsonDocument();
        own.add(made);
        return made;
    }

    private BsonValue fill(BsonArray array, int index, Path path) {
        gaps += Math.max(0, index + 1 - array.size());
        if (gaps > MAX_GAPS) {
            throw invalid("illegal key '" + path.key() + "': the array would have too many gaps");
        }
        while (array.size() <= index) {
            array.add(BsonNull.VALUE);
        }
        return array.get(index);
    }

    private static int index(Path path, int depth) {
        var name = path.names().get(depth);
        if (!isIndex(name)) {
            throw contradiction(path);
        }
        return name.length() > 9 ? MAX_GAPS : Integer.parseInt(name);
    }

    private static boolean isIndex(String name) {
        return !name.isEmpty() && name.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static RuntimeException contradiction(Path path) {
        return invalid("the key '" + path.key() + "' contradicts another key");
    }
}
