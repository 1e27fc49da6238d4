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

    /// The cases of a file below `/conformance/` on the class path.
    public static List<ConformanceCase> of(String file) {
        return CaseReader.read(file);
    }

    /// A request of a case, before variables such as `${db}` are replaced, and the status that is expected.
    public record Exchange(String method, String target, int status) {}

    public List<Exchange> exchanges() {
        return steps.stream()
                .map(step -> {
                    int space = step.request().indexOf(' ');
                    return new Exchange(
                            step.request().substring(0, space),
                            step.request().substring(space + 1),
                            step.expect().status());
                })
                .toList();
    }

    /// The name, which is what JUnit shows.
    @Override
    public String toString() {
        return name;
    }
}
