package org.restheart.mongo.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.restheart.http.attribute.Key;

/// Where clients find MongoDB's resources, seen from one request: links lead through the mount that the
/// request came by, if it shows the target, else through another one. Confined to one request.
public final class UriSpace {
    public static final Key<UriSpace> KEY = Key.named("URI space");

    private final Mounts mounts;
    private final MountBinding own;
    private final Map<String, String> variables;

    UriSpace(Mounts mounts, MountBinding own, Map<String, String> variables) {
        this.mounts = mounts;
        this.own = own;
        this.variables = variables;
    }

    /// The path of a resource: of the root for no tokens, of a database, collection or document for one, two
    /// or three. Starts with `/`, has no slash at its end except for `/` itself, is percent-encoded where it
    /// must be. Empty if no mount shows the resource.
    public Optional<String> pathOf(String... tokens) {
        var what = List.of(tokens);
        return own.segments(what, variables)
                .or(() -> mounts.segmentsOf(what, variables))
                .map(segments -> {
                    var path = new ArrayList<>(mounts.prefix());
                    path.addAll(segments);
                    return "/" + path.stream().map(IdSpelling::encode).collect(Collectors.joining("/"));
                });
    }
}
