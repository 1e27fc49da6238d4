package org.restheart.mongo.bulk;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/// The result of a stream of lines, in the format of a bulk write's report. All links and errors are counted; a limited
/// number is listed. Filled by one thread.
final class LinesReport {
    private static final int MAX_LISTED = 1_000;

    private final List<BsonValue> links = new ArrayList<>();
    private final List<BsonValue> errors = new ArrayList<>();
    private long linked;
    private long failed;
    private long inserted;
    private long modified;
    private long matched;
    private boolean brokenOff;

    void add(LineBatch batch) {
        inserted += batch.inserted();
        modified += batch.modified();
        matched += batch.matched();
        linked += batch.links().size();
        failed += batch.errors().size();
        batch.links().stream()
                .limit(MAX_LISTED - links.size())
                .map(BsonString::new)
                .forEach(links::add);
        batch.errors().stream().limit(MAX_LISTED - errors.size()).forEach(errors::add);
    }

    /// Records that later lines were not read.
    void breakOff() {
        brokenOff = true;
    }

    boolean isEmpty() {
        return inserted + matched + failed == 0;
    }

    boolean hasErrors() {
        return failed > 0;
    }

    BsonDocument toDocument() {
        var document = new BsonDocument("inserted", number(inserted))
                .append("links", new BsonArray(links))
                .append("deleted", number(0))
                .append("modified", number(modified))
                .append("matched", number(matched));
        if (failed > 0) {
            document.append("errors", new BsonArray(errors));
        }
        if (linked > links.size()) {
            document.append("linksOmitted", number(linked - links.size()));
        }
        if (failed > errors.size()) {
            document.append("errorsOmitted", number(failed - errors.size()));
        }
        return brokenOff ? document.append("complete", BsonBoolean.FALSE) : document;
    }

    private static BsonValue number(long n) {
        return n <= Integer.MAX_VALUE ? new BsonInt32((int) n) : new BsonInt64(n);
    }
}
