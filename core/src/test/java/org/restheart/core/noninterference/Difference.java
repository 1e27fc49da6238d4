package org.restheart.core.noninterference;

import java.util.List;
import java.util.stream.Collectors;

/// Two worlds that a caller can tell apart, or something changed that he may not change.
///
/// @param requests the last one made the difference
/// @param left what one world says
/// @param right what the other says
record Difference(Profile profile, long seed, List<FuzzRequest> requests, Scene scene, String left, String right) {

    /// What differences have in common that are most likely of one kind, before they have been made smaller.
    String likeness() {
        var last = requests.getLast();
        var path = last.path().replaceAll("[0-9]+(?=/|$)", "").replaceAll("\\?.*", "");
        return profile + " " + last.method() + " " + path + " " + first(left) + "|" + first(right);
    }

    /// Differences of one kind have one name.
    String kind() {
        return likeness() + " "
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
        return kind() + "\n-Dfuzz.episode=" + profile + ":" + seed + "\n" + profile.permission() + "\n\n"
                + requests.stream().map(r -> r.toCurl(user)).collect(Collectors.joining("\n"))
                + "\n\n--- one world\n" + left + "\n--- the other\n" + right
                + "\n--- documents of one\n" + documents(scene.left())
                + "\n--- documents of the other\n" + documents(scene.right()) + "\n";
    }

    private static String documents(List<org.bson.BsonDocument> documents) {
        return documents.stream().map(org.bson.BsonDocument::toJson).collect(Collectors.joining("\n"));
    }
}
