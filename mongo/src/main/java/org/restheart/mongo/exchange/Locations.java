package org.restheart.mongo.exchange;

import java.util.List;
import java.util.Optional;
import org.bson.BsonValue;
import org.restheart.mongo.resource.IdSpelling;

/// The URLs of documents created by a `POST` to a collection.
public final class Locations {
    /// In place of the request's host; without a trailing slash.
    private final Optional<String> base;

    public Locations(Optional<String> base) {
        this.base = base.map(url -> url.replaceAll("/+$", ""));
    }

    /// An absolute URL; empty for an id that cannot be written in a path.
    public Optional<String> absolute(DataRequest request, BsonValue id) {
        return path(request, id).map(path -> server(request) + path);
    }

    /// The path on this server, in the client's URI space; empty for an id that cannot be written in a path.
    public static Optional<String> path(DataRequest request, BsonValue id) {
        return IdSpelling.of(id).map(folder(request)::concat);
    }

    /// The paths of all ids that can be written in one.
    public static List<String> paths(DataRequest request, List<BsonValue> ids) {
        var folder = folder(request);
        return ids.stream()
                .flatMap(id -> IdSpelling.of(id).stream())
                .map(folder::concat)
                .toList();
    }

    /// The collection's path with a trailing slash.
    private static String folder(DataRequest request) {
        var path = new StringBuilder("/");
        for (var segment : request.http().path().segments()) {
            path.append(IdSpelling.encode(segment)).append('/');
        }
        return path.toString();
    }

    /// The URL of this server, as clients know it.
    public String server(DataRequest request) {
        var connection = request.http().connection();
        return base.orElseGet(() -> connection.scheme() + "://" + connection.hostAndPort());
    }
}
