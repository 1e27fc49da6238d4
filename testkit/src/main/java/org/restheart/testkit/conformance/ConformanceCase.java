package org.restheart.testkit.conformance;

import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.restheart.testkit.TestMongo;

/// One case of a file. Immutable.
///
/// @param file where it stands, for messages
/// @param given documents by collection, put into a database of the case's own
/// @param steps requests in sequence, at least one
public record ConformanceCase(String file, String name, Map<String, List<BsonDocument>> given, List<Step> steps) {

    /// Sends the requests and compares the answers.
    ///
    /// @throws AssertionError naming every difference of the first step that has any
    public void run(RunningGateway gateway, TestMongo mongo) {
        new CaseRun(this, gateway, mongo).run();
    }

    /// The name, which is what JUnit shows.
    @Override
    public String toString() {
        return name;
    }
}
