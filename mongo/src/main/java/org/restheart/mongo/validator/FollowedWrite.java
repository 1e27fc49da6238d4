package org.restheart.mongo.validator;

import com.mongodb.MongoException;
import java.util.List;
import org.restheart.data.Access;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Method;
import org.restheart.http.Response;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.exchange.DataHandler;
import org.restheart.mongo.exchange.DataRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A write of JSON Schemas, or of properties by which collections name them: updates MongoDB's validators before it
/// responds, and warns the client of validators that differ from their schema afterwards. The write itself is done,
/// so that a failure of this is a warning, too.
public final class FollowedWrite implements DataHandler {
    private static final Logger LOG = LoggerFactory.getLogger(FollowedWrite.class);

    private static final int MAX_NAMES = 10;

    private final Validators validators;
    private final DataHandler write;

    /// @param write the write itself
    public FollowedWrite(Validators validators, DataHandler write) {
        this.validators = validators;
        this.write = write;
    }

    @Override
    public Response handle(DataRequest request) {
        request.http().requireThread();
        var response = write.handle(request).settled();
        if (response.status() >= 400) {
            return response;
        }
        boolean schemas = request.path().kind().isSchemas();
        var warned = with(response, schemas ? ofSchemas(request) : ofCollection(request));
        return schemas
                        && request.http().method() == Method.DELETE
                        && request.path().kind() == ResourceKind.SCHEMA
                ? with(warned, ofRemoved(request))
                : warned;
    }

    private static Response.Ready with(Response.Ready response, String warning) {
        return warning.isEmpty() ? response : response.withAlso("Warning", FoundWarnings.line(warning));
    }

    /// About a schema that has been deleted.
    private String ofRemoved(DataRequest request) {
        try {
            var naming = validators.naming(request.path().requireDb(), request.id());
            return naming.isEmpty()
                    ? ""
                    : "the deleted schema still applies, so writes of documents fail: " + shown(request, naming);
        } catch (MongoException e) {
            LOG.warn("The collections of a deleted JSON Schema could not be found", e);
            return "";
        }
    }

    private String ofCollection(DataRequest request) {
        var path = request.path();
        return validators.follow(path.requireDb(), path.requireCollection())
                ? ""
                : "MongoDB's validator of this collection differs from the JSON Schema; GET .../_validator tells how";
    }

    private String ofSchemas(DataRequest request) {
        try {
            var differing = validators.followAll();
            return differing.isEmpty()
                    ? ""
                    : "MongoDB's validators differ from the JSON Schema: " + shown(request, differing)
                            + "; GET .../_validator tells how";
        } catch (MongoException e) {
            LOG.warn("MongoDB's validators could not be compared with changed JSON Schemas", e);
            return "MongoDB's validators could not be compared with the JSON Schema; that is tried again soon";
        }
    }

    /// The names only for callers who may see all collections.
    private static String shown(DataRequest request, List<String> collections) {
        int count = collections.size();
        if (!(request.grant() instanceof Access.Root)) {
            return count == 1 ? "1 collection" : count + " collections";
        }
        return String.join(", ", collections.subList(0, Math.min(count, MAX_NAMES)))
                + (count > MAX_NAMES ? " and " + (count - MAX_NAMES) + " more" : "");
    }
}
