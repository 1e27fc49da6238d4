package org.restheart.core.noninterference;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/// Values with one thing less.
final class Smaller {
    private Smaller() {}

    static List<BsonValue> than(BsonValue value) {
        var all = new ArrayList<BsonValue>();
        if (value instanceof BsonDocument document) {
            all.addAll(document.values());
            for (var key : document.keySet()) {
                var less = document.clone();
                less.remove(key);
                all.add(less);
            }
            for (var entry : document.entrySet()) {
                for (var smaller : than(entry.getValue())) {
                    var changed = document.clone();
                    changed.put(entry.getKey(), smaller);
                    all.add(changed);
                }
            }
        } else if (value instanceof BsonArray array) {
            all.addAll(array);
            for (int i = 0; i < array.size(); i++) {
                var less = array.clone();
                less.remove(i);
                all.add(less);
            }
            for (int i = 0; i < array.size(); i++) {
                for (var smaller : than(array.get(i))) {
                    var changed = array.clone();
                    changed.set(i, smaller);
                    all.add(changed);
                }
            }
        } else if (!(value instanceof BsonInt32) && !value.isString() && !value.isBoolean()) {
            all.add(new BsonInt32(1));
        }
        return all;
    }
}
