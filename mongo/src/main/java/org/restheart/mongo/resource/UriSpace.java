package org.restheart.mongo.resource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.restheart.http.attribute.Key;

/// The paths of MongoDB's resources in the links of one request: through the request's mount, if it contains the
/// target, else through another one. Confined to one request.
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

    /// The path of a resource: of the root for no tokens, of a database, collection or document for one, two or
    /// three. Starts with `/`, has no trailing slash except for `/` itself, and is percent-encoded where needed.
    /// Empty if the resource is not mounted.
    public Optional<String> pathOf(String... tokens) {
        var what = List.of(tokens);
        return own.segments(what, variables)
                .or(() -> mounts.segmentsOf(what, variables))
                .map(mounts::encoded);
    }
}
