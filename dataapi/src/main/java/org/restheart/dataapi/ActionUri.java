package org.restheart.dataapi;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.restheart.http.Nearest;
import org.restheart.http.RequestPath;
import org.restheart.http.ShortText;

/// The addresses of actions, `{uri}/{appId}/endpoint/data/{version}/action/{action}`. Immutable.
final class ActionUri {
    /// Longer names are truncated in messages.
    private static final int MAX_QUOTED = 50;

    private final DataApiConfig config;
    private final int depth;
    private final List<String> versions;

    ActionUri(DataApiConfig config) {
        this.config = config;
        this.depth = RequestPath.parse(config.uri()).segments().size();
        this.versions =
                config.versions().stream().sorted(Comparator.reverseOrder()).toList(); // v1 before beta
    }

    /// The action that a path names; empty for an unknown address.
    Optional<Action> action(RequestPath path) {
        var below = below(path);
        return isAction(below) && hasApp(below.getFirst()) && versions.contains(below.get(3))
                ? Action.of(below.get(5))
                : Optional.empty();
    }

    /// @param path of an action
    String version(RequestPath path) {
        return below(path).get(3);
    }

    /// What is wrong with an unknown address.
    String fault(RequestPath path) {
        var below = below(path);
        if (isAction(below) && hasApp(below.getFirst())) {
            var version = below.get(3);
            return versions.contains(version)
                    ? "there is no action " + quoted(below.get(5)) + instead(below.get(5), actions())
                    : "there is no version " + quoted(version) + instead(version, versions);
        }
        var app = isAction(below) ? "{app id}" : below.isEmpty() ? "{app id}" : quoted(below.getFirst());
        return (isAction(below) ? "no such app id" : isWithoutVersion(below) ? "the version is missing" : "no action")
                + ": the address of an action is POST " + config.uri() + "/" + app + "/endpoint/data/"
                + versions.getFirst() + "/action/"
                + (isWithoutVersion(below) ? quoted(below.get(4)) : "{action}");
    }

    private List<String> below(RequestPath path) {
        var segments = path.segments();
        return segments.subList(Math.min(depth, segments.size()), segments.size());
    }

    private boolean hasApp(String id) {
        return config.appIds().isEmpty() || config.appIds().contains(id);
    }

    private static boolean isAction(List<String> below) {
        return below.size() == 6 && isData(below) && below.get(4).equals("action");
    }

    private static boolean isWithoutVersion(List<String> below) {
        return below.size() == 5 && isData(below) && below.get(3).equals("action");
    }

    private static boolean isData(List<String> below) {
        return below.get(1).equals("endpoint") && below.get(2).equals("data");
    }

    private static List<String> actions() {
        return Arrays.stream(Action.values()).map(Action::name).toList();
    }

    private static String instead(String name, List<String> known) {
        return Nearest.to(name, known)
                .map(near -> "; did you mean " + near + "?")
                .orElseGet(() -> "; there are " + String.join(", ", known));
    }

    private static String quoted(String name) {
        return ShortText.of(name, MAX_QUOTED);
    }
}
