package org.restheart.graphql.app;

import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;

/// A path into a document: names, positions in arrays, and names across all elements of an array. Immutable.
record ValuePath(List<String> steps) {
    static ValuePath parse(String text) {
        return new ValuePath(List.of(text.split("\\.", -1)));
    }

    /// Empty if there is nothing at the path. `null` in the document is there.
    Optional<BsonValue> find(BsonValue from) {
        return find(from, 0);
    }

    private Optional<BsonValue> find(BsonValue value, int depth) {
        if (depth == steps.size()) {
            return Optional.of(value);
        }
        return switch (value) {
            case RawBsonDocument document ->
                RawDocuments.get(document, steps.get(depth)).flatMap(member -> find(member, depth + 1));
            case BsonDocument document ->
                Optional.ofNullable(document.get(steps.get(depth))).flatMap(member -> find(member, depth + 1));
            case BsonArray array -> inArray(array, depth);
            default -> Optional.empty();
        };
    }

    private Optional<BsonValue> inArray(BsonArray array, int depth) {
        if (isPosition(steps.get(depth))) {
            int position = Integer.parseInt(steps.get(depth));
            return position < array.size() ? find(array.get(position), depth + 1) : Optional.empty();
        }
        var found = new BsonArray();
        array.forEach(element -> find(element, depth).ifPresent(found::add));
        return Optional.of(found);
    }

    private static boolean isPosition(String step) {
        return !step.isEmpty() && step.length() < 10 && step.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
