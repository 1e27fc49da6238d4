package org.restheart.core.noninterference;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/// Values, requests and sequences of requests with one part less.
final class Shrinker {
    private Shrinker() {}

    static List<BsonValue> shrink(BsonValue value) {
        var all = new ArrayList<BsonValue>();
        if (value instanceof BsonDocument document) {
            all.addAll(document.values());
            for (var key : document.keySet()) {
                var less = document.clone();
                less.remove(key);
                all.add(less);
            }
            for (var entry : document.entrySet()) {
                for (var smaller : shrink(entry.getValue())) {
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
                for (var smaller : shrink(array.get(i))) {
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

    static List<List<FuzzRequest>> shrink(List<FuzzRequest> requests) {
        var all = new ArrayList<List<FuzzRequest>>();
        int size = requests.size();
        if (size > 1) {
            all.add(requests.subList(size - 1, size));
            all.add(requests.subList(size / 2, size));
            for (int i = size - 2; i >= 0; i--) {
                var fewer = new ArrayList<>(requests);
                fewer.remove(i);
                all.add(fewer);
            }
            if (requests.size() > 1) {
                all.add(requests.subList(0, size - 1));
            }
        }
        for (int i = size - 1; i >= 0; i--) {
            for (var less : requests.get(i).shrunk()) {
                var changed = new ArrayList<>(requests);
                changed.set(i, less);
                all.add(changed);
            }
        }
        return all;
    }
}
