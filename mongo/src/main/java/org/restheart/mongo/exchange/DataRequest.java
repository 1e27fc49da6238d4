package org.restheart.mongo.exchange;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Grant;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.metadata.Known;
import org.restheart.mongo.parameter.Parameters;
import org.restheart.mongo.resource.ResourcePath;
import org.restheart.mongo.resource.UriSpace;

/// A request to the data API after everything about it has been parsed and its resource was found to exist.
/// Confined to one request.
///
/// @param resource what is known of the collection, or of the database for resources above collections
public record DataRequest(Request http, ResourcePath path, Parameters parameters, Known resource) {

    public MongoNamespace namespace() {
        return new MongoNamespace(path.requireDb(), path.requireCollection());
    }

    /// Where links lead.
    public UriSpace uriSpace() {
        return http.require(UriSpace.KEY);
    }

    /// The request's own path, for links to it and below it: as sent, without slashes at its end.
    public String selfPath() {
        var raw = http.path().raw();
        int end = raw.length();
        while (end > 1 && raw.charAt(end - 1) == '/') {
            end--;
        }
        return raw.substring(0, end);
    }

    /// How the client wants reads carried out.
    ///
    /// @param timeLimit the server's; zero for none
    public ReadSettings readSettings(Duration timeLimit) {
        return new ReadSettings(parameters.readConcern(), parameters.readPreference(), timeLimit);
    }

    public Grant grant() {
        return http.caller().grant();
    }

    /// The document's id; the kind of resource has one.
    public BsonValue id() {
        return parameters.id().orElseThrow(() -> new IllegalStateException(path.kind() + " has no id"));
    }

    /// The content as BSON.
    ///
    /// @throws org.restheart.http.ProblemException 400 or 415
    public BsonValue content() {
        return http.require(RequestContent.KEY).value();
    }

    /// The content of a request that takes no array.
    ///
    /// @throws org.restheart.http.ProblemException 400 or 415
    public BsonDocument contentDocument() {
        var content = content();
        if (!content.isDocument()) {
            throw Problem.of(ProblemCode.CONTENT_INVALID, "request content must be a Json object")
                    .raise();
        }
        return content.asDocument();
    }

    /// What the client asked for and may read: its filters, the shard key, the access rule's filter.
    public BsonDocument readFilter() {
        return filter(grant().readFilter());
    }

    /// The same for what it may change.
    public BsonDocument writeFilter() {
        return filter(grant().writeFilter());
    }

    private BsonDocument filter(Optional<BsonDocument> rule) {
        var all = new BsonArray();
        if (!parameters.filter().isEmpty()) {
            all.add(parameters.filter());
        }
        parameters.shardKey().ifPresent(all::add);
        rule.ifPresent(all::add);
        return switch (all.size()) {
            case 0 -> new BsonDocument();
            case 1 -> all.getFirst().asDocument();
            default -> new BsonDocument("$and", all);
        };
    }

    /// The document of the path, if the other filters match it too.
    public BsonDocument byId(BsonDocument others) {
        var byId = new BsonDocument("_id", id());
        return others.isEmpty() ? byId : byId.append("$and", new BsonArray(java.util.List.of(others)));
    }
}
