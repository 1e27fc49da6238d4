package org.restheart.mongo.bulk;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.restheart.http.Problem;

/// The results of a batch of lines. Filled by one thread.
final class LineBatch {
    private final List<String> links = new ArrayList<>();
    private final List<BsonDocument> errors = new ArrayList<>();
    private int inserted;
    private int modified;
    private int matched;

    List<String> links() {
        return links;
    }

    /// The errors, each with its `line`, or with the first and the `lastLine` of several.
    List<BsonDocument> errors() {
        return errors;
    }

    int inserted() {
        return inserted;
    }

    int modified() {
        return modified;
    }

    int matched() {
        return matched;
    }

    void written(int created, int modified, int matched) {
        this.inserted += created;
        this.modified += modified;
        this.matched += matched;
    }

    void link(String link) {
        links.add(link);
    }

    void error(BsonDocument error) {
        errors.add(error);
    }

    void error(long line, Problem problem) {
        errors.add(describe(at(line), problem));
    }

    void error(long first, long last, Problem problem) {
        errors.add(describe(at(first).append("lastLine", new BsonInt64(last)), problem));
    }

    static BsonDocument at(long line) {
        return new BsonDocument("line", new BsonInt64(line));
    }

    private static BsonDocument describe(BsonDocument error, Problem problem) {
        return error.append("httpStatus", new BsonInt32(problem.status()))
                .append("message", new BsonString(problem.message()));
    }
}
