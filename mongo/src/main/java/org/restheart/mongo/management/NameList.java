package org.restheart.mongo.management;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonString;
import org.restheart.mongo.parameter.Paging;

/// Lists of names.
final class NameList {
    private NameList() {}

    static List<String> page(List<String> names, Paging paging) {
        return names.stream().skip(paging.skip()).limit(paging.pageSize()).toList();
    }

    static BsonArray json(List<String> names) {
        return new BsonArray(names.stream().map(BsonString::new).toList());
    }
}
