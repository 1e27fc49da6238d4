package org.restheart.rest.exchange;

import com.mongodb.MongoNamespace;
import com.mongodb.client.ClientSession;
import com.mongodb.client.model.Collation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.Stages;
import org.restheart.data.Access;
import org.restheart.data.Operation;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.WriteBounds;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.DataFacts;
import org.restheart.mongo.find.Collations;
import org.restheart.mongo.find.HarmlessFilter;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.mongo.metadata.ResourceMetadata;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.rest.format.DocumentFormat;
import org.restheart.rest.parameter.Parameters;
import org.restheart.rest.resource.Mounts.UriSpace;
import org.restheart.rest.resource.ResourcePath;

/// A request to the data API that has been parsed and whose resource exists. Confined to one request.
///
/// @param resource metadata of the collection, or of the database for resources above collections
public record DataRequest(
        Request http,
        ResourcePath path,
        Parameters parameters,
        ResourceMetadata resource,
        Optional<ClientSession> session,
        Optional<DocumentValidation> validation)
        implements DataFacts {
    public MongoNamespace namespace() {
        return new MongoNamespace(path.requireDb(), path.requireCollection());
    }

    /// The same with another HTTP request, which differs in attributes only.
    public DataRequest with(Request http) {
        return new DataRequest(http, path, parameters, resource, session, validation);
    }

    @Override
    public boolean showsAsStored() {
        return http.attribute(DocumentFormat.SHOWN).isEmpty();
    }

    public UriSpace uriSpace() {
        return http.require(UriSpace.KEY);
    }

    /// The request's own path, for links to it and below it: as the client sent it, without slashes at its end.
    public String selfPath() {
        var raw = http.connection().basePath() + http.path().raw();
        int end = raw.length();
        while (end > 1 && raw.charAt(end - 1) == '/') {
            end--;
        }
        return raw.substring(0, end);
    }

    /// @param timeLimit the server's; zero for none
    public ReadSettings readSettings(Duration timeLimit) {
        var wanted = http.attribute(JudgedRequest.TIME_LIMIT)
                .filter(limit -> !limit.isZero() && (timeLimit.isZero() || limit.compareTo(timeLimit) < 0));
        return new ReadSettings(
                parameters.concerns().readConcern(),
                parameters.concerns().readPreference(),
                wanted.orElse(timeLimit),
                session,
                collation());
    }

    /// How this request compares texts, if not as its collection does: as its parameter or the property
    /// `mongo.collation` of the collection says. The filter of an access rule always compares as the collection
    /// does, so there is no other collation beside one that compares texts. A document of a path has exactly
    /// its id.
    ///
    /// @throws org.restheart.http.ProblemException 400, 403
    public Optional<Collation> collation() {
        var wanted = parameters.collation();
        if (path.collection() == null || path.kind().hasId()) {
            return Optional.empty();
        }
        if (path.kind() == ResourceKind.BULK_FILES) {
            if (wanted.isPresent()) {
                throw new ProblemException(ProblemCode.PARAMETER_INVALID, "files are deleted without a collation");
            }
            return Optional.empty();
        }
        boolean isRuled = grant().readFilter()
                        .filter(HarmlessFilter::comparesTexts)
                        .isPresent()
                || grant().writeFilter().filter(HarmlessFilter::comparesTexts).isPresent();
        if (!isRuled) {
            return wanted.or(this::usualCollation);
        }
        if (wanted.filter(other -> !isOwn(other)).isPresent()) {
            throw new ProblemException(
                    ProblemCode.FORBIDDEN,
                    "within an access rule that compares texts, collation can only be that of the collection");
        }
        return Optional.empty();
    }

    private boolean isOwn(Collation wanted) {
        return resource.collation()
                .map(own -> Collations.areEqual(own, wanted))
                .orElseGet(() -> "simple".equals(wanted.getLocale()));
    }

    private Optional<Collation> usualCollation() {
        return resource.property("mongo")
                .map(mongo -> Stages.member(mongo, "collation"))
                .filter(BsonValue::isDocument)
                .map(written -> Collations.of(written.asDocument(), "property mongo.collation of the collection"));
    }

    public Operation operation() {
        return http.require(DataTarget.KEY).operation();
    }

    @Override
    public ResourceKind kind() {
        return path.kind();
    }

    @Override
    public Access grant() {
        return http.caller().grant();
    }

    @Override
    public Optional<BsonDocument> properties() {
        return resource.properties();
    }

    /// The document's id; the kind of resource has one.
    public BsonValue id() {
        return parameters.id().orElseThrow(() -> new IllegalStateException(path.kind() + " has no id"));
    }

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
            throw new ProblemException(ProblemCode.CONTENT_INVALID, "request content must be a Json object");
        }
        return content.asDocument();
    }

    /// The same request for one document of the collection.
    public DataRequest withId(BsonValue id) {
        return new DataRequest(http, path, parameters.withId(id), resource, session, validation);
    }

    public DataRequest withoutSession() {
        return new DataRequest(http, path, parameters, resource, Optional.empty(), validation);
    }

    /// The same request for a new document with this id, ignoring conditions on the id in the filter.
    ///
    /// @throws org.restheart.http.ProblemException 403 for a reserved id
    public DataRequest withNewId(BsonValue id) {
        ResourceNames.requireUnreserved(id);
        return new DataRequest(http, path, parameters.withoutIdFilter().withId(id), resource, session, validation);
    }

    /// The filter of reads of a collection: the access rule's filter and the client's filters. A shard key tells
    /// where one document is; it filters nothing here.
    ///
    /// @throws org.restheart.http.ProblemException 403 for filters that cannot be evaluated after the rule's
    public StagedFilter readFilter() {
        return StagedFilter.of(grant().readFilter(), clientFilters());
    }

    /// The filter of reads of the document of the path, with the shard key.
    ///
    /// @throws org.restheart.http.ProblemException 403 for filters that cannot be evaluated after the rule's
    public StagedFilter readFilterOfDocument() {
        return StagedFilter.ofOne(grant().readFilter(), clientFiltersAndShardKey());
    }

    /// The filter of writes. A write has a single filter, so that only harmless filters may be combined with the
    /// access rule's.
    ///
    /// @throws org.restheart.http.ProblemException 403 for filters that would have to be evaluated after the
    ///     rule's
    public BsonDocument writeFilter() {
        return WriteBounds.within(http, StagedFilter.ofWrites(grant().writeFilter(), clientFiltersAndShardKey()));
    }

    private List<BsonDocument> clientFilters() {
        var filter = parameters.find().filter();
        return filter.isEmpty() ? List.of() : List.of(filter);
    }

    private List<BsonDocument> clientFiltersAndShardKey() {
        var all = new ArrayList<>(clientFilters());
        parameters.shardKey().ifPresent(all::add);
        return all;
    }

    /// The validation of documents of a collection before they are stored. Confined to one request.
    public interface DocumentValidation {
        /// Blocks for MongoDB.
        ///
        /// @param document in the form shown to clients
        /// @param disclose whether the message may name the violations
        /// @throws org.restheart.http.ProblemException 400 for a violation, 500 if it cannot be validated
        void check(BsonDocument document, boolean disclose);

        /// Whether changes of many documents at once are not checked.
        default boolean skipsUnsupported() {
            return false;
        }
    }
}
