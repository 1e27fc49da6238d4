package org.restheart.bson;

import java.util.Collection;
import org.bson.BsonArray;
import org.bson.BsonString;

public final class BsonTexts {
    private BsonTexts() {}

    public static BsonArray array(Collection<String> texts) {
        return new BsonArray(texts.stream().map(BsonString::new).toList());
    }
}
