package org.restheart.mongo.write;

import java.util.Optional;
import org.bson.BsonValue;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.resource.IdSpelling;

/// Where clients find what a `POST` to a collection created.
public final class Locations {
    /// In place of what the client called this server; without a slash at the end.
    private final Optional<String> base;

    public Locations(Optional<String> base) {
        this.base = base.map(url -> url.replaceAll("/+$", ""));
    }

    /// An absolute URL; empty for an id that no path can name.
    public Optional<String> absolute(DataRequest request, BsonValue id) {
        return path(request, id).map(path -> base(request) + path);
    }

    /// The path on this server, in the client's own URI space; empty for an id that no path can name.
    public static Optional<String> path(DataRequest request, BsonValue id) {
        var path = new StringBuilder("/");
        for (var segment : request.http().path().segments()) {
            path.append(IdSpelling.encode(segment)).append('/');
        }
        return IdSpelling.of(id).map(spelling -> path.append(spelling).toString());
    }

    private String base(DataRequest request) {
        var connection = request.http().connection();
        return base.orElseGet(() -> connection.scheme() + "://" + connection.hostAndPort());
    }
}
