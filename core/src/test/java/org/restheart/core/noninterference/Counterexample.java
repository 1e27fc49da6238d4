package org.restheart.core.noninterference;

import java.util.List;
import java.util.stream.Collectors;

/// Requests to which two instances respond differently, or that change a document which the caller may not change.
///
/// @param requests the last one shows the difference
/// @param left the response of one instance
/// @param right the response of the other
record Counterexample(
        CallerProfile profile, long seed, List<FuzzRequest> requests, InitialState state, String left, String right) {

    /// Equal for counterexamples that most likely have one cause, before shrinking.
    String signature() {
        var last = requests.getLast();
        var path = last.path().replaceAll("[0-9]+(?=/|$)", "").replaceAll("\\?.*", "");
        return profile + " " + last.method() + " " + path + " " + first(left) + "|" + first(right);
    }

    /// Equal for shrunk counterexamples that most likely have one cause.
    String kind() {
        return signature() + " "
                + requests.getLast().parameters().stream()
                        .map(FuzzRequest.Part::name)
                        .sorted()
                        .toList();
    }

    private static String first(String text) {
        var line = text.lines().findFirst().orElse("");
        return line.substring(0, Math.min(line.length(), 20));
    }

    @Override
    public String toString() {
        var user = profile.isAnonymous() ? "" : profile.user();
        return kind() + "\n-Dfuzz.case=" + profile + ":" + seed + "\n" + profile.permission() + "\n\n"
                + requests.stream().map(r -> r.toCurl(user)).collect(Collectors.joining("\n"))
                + "\n\n--- left\n" + left + "\n--- right\n" + right
                + "\n--- documents of left\n" + documents(state.left())
                + "\n--- documents of right\n" + documents(state.right()) + "\n";
    }

    private static String documents(List<org.bson.BsonDocument> documents) {
        return documents.stream().map(org.bson.BsonDocument::toJson).collect(Collectors.joining("\n"));
    }
}
