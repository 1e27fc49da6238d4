package org.restheart.rest.exchange;

import java.util.List;
import java.util.Optional;
import org.bson.BsonValue;
import org.restheart.rest.resource.IdSpelling;

/// The URLs of what a `POST` has created.
public final class Locations {
    /// In place of what the request's connection says; without a trailing slash.
    private final Optional<String> base;

    public Locations(Optional<String> base) {
        this.base = base.map(url -> url.replaceAll("/+$", ""));
    }

    /// An absolute URL; empty for an id that cannot be written in a path.
    public Optional<String> absolute(DataRequest request, BsonValue id) {
        return IdSpelling.of(id).map(spelling -> server(request) + folder(request) + spelling);
    }

    /// The path on this server, in the client's URI space; empty for an id that cannot be written in a path.
    public static Optional<String> path(DataRequest request, BsonValue id) {
        return IdSpelling.of(id).map(spelling -> request.http().connection().basePath() + folder(request) + spelling);
    }

    /// The paths of all ids that can be written in one.
    public static List<String> paths(DataRequest request, List<BsonValue> ids) {
        var folder = request.http().connection().basePath() + folder(request);
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

    /// The absolute URL of what is below the request's own path.
    public String below(DataRequest request, String segment) {
        return server(request) + request.http().path().raw().replaceFirst("/+$", "") + "/" + segment;
    }

    private String server(DataRequest request) {
        return base.orElseGet(request.http().connection()::baseUrl);
    }
}
