package org.restheart.rest.exchange;

import java.util.Locale;
import java.util.Optional;
import org.bson.BsonValue;
import org.restheart.http.EntityTagList;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.ResourceMetadata;
import org.restheart.mongo.write.Precondition;
import org.restheart.rest.exchange.Preconditions.EtagPolicies.EtagPolicy;

/// The precondition of a request: its `If-Match`, else its `checkEtag`, else the policy of the collection, the
/// database or the configuration, and its `If-None-Match`. Thread-safe.
public record Preconditions(Metadata metadata, EtagPolicies defaults) {
    /// MongoDB compares each with the tag of the document, as sent and without quotes.
    private static final int MOST_TAGS = 100;

    /// For the document of the path.
    public Precondition ofDocument(DataRequest request) {
        var required = of(
                request,
                request.path().kind().isSchemas()
                        ? defaults.document()
                        : policy(request, "etagDocPolicy", defaults.document()));
        return withIfNoneMatch(request, required);
    }

    private static Precondition withIfNoneMatch(DataRequest request, Precondition required) {
        var tags = tags(request, "If-None-Match");
        if (tags.isEmpty()) {
            return required;
        }
        var excluded = new Precondition.IfNoneMatch(tags.get());
        return switch (required) {
            case Precondition.IfMatch first -> new Precondition.Both(first, excluded);
            case Precondition.Untagged _ when !tags.get().isAny() -> required;
            case Precondition.Untagged _, Precondition.None _, Precondition.IfNoneMatch _, Precondition.Both _ ->
                excluded;
        };
    }

    /// What is violated by a database or collection that exists: `If-None-Match: *`.
    public Optional<Precondition> ofAbsence(DataRequest request) {
        return tags(request, "If-None-Match").filter(EntityTagList::isAny).map(Precondition.IfNoneMatch::new);
    }

    /// For the properties of a collection, and the document that a `POST` to it replaces.
    public Precondition ofCollection(DataRequest request) {
        var kind = request.path().kind();
        return withIfNoneMatch(
                        request,
                        of(
                                request,
                                kind.isSchemas() || kind.isFiles()
                                        ? defaults.collection()
                                        : policy(request, "etagPolicy", defaults.collection())))
                .withTagsOfLists();
    }

    public Precondition ofDatabase(DataRequest request) {
        return withIfNoneMatch(
                        request,
                        of(request, stated(request.resource(), "etagPolicy").orElse(defaults.db())))
                .withTagsOfLists();
    }

    private EtagPolicy policy(DataRequest request, String property, EtagPolicy otherwise) {
        return stated(request.resource(), property)
                .or(() -> stated(
                        metadata.db(
                                request.http()::requireThread,
                                request.path().requireDb(),
                                request.parameters().noCache()),
                        property))
                .orElse(otherwise);
    }

    /// Whether the value of a property `etagPolicy` or `etagDocPolicy` has an effect.
    public static boolean isPolicy(BsonValue value) {
        return stated(value).isPresent();
    }

    /// Empty for an unknown policy, since the property is not validated when it is stored.
    private static Optional<EtagPolicy> stated(ResourceMetadata known, String property) {
        return known.property(property).flatMap(Preconditions::stated);
    }

    private static Optional<EtagPolicy> stated(BsonValue value) {
        if (!value.isString()) {
            return Optional.empty();
        }
        return switch (value.asString().getValue().toUpperCase(Locale.ROOT)) {
            case "REQUIRED" -> Optional.of(EtagPolicy.REQUIRED);
            case "REQUIRED_FOR_DELETE" -> Optional.of(EtagPolicy.REQUIRED_FOR_DELETE);
            case "OPTIONAL" -> Optional.of(EtagPolicy.OPTIONAL);
            default -> Optional.empty();
        };
    }

    private static Precondition of(DataRequest request, EtagPolicy policy) {
        var tags = tags(request, "If-Match");
        if (tags.isPresent()) {
            return new Precondition.IfMatch(tags.get());
        }
        var required = request.parameters().checkEtag()
                || switch (policy) {
                    case REQUIRED -> true;
                    case REQUIRED_FOR_DELETE -> request.operation().isRemoval();
                    case OPTIONAL -> false;
                };
        return required ? new Precondition.Untagged() : new Precondition.None();
    }

    private static Optional<EntityTagList> tags(DataRequest request, String header) {
        var tags = EntityTagList.of(request.http().headers(), header);
        if (tags.isPresent() && tags.get().weak().size() > 2 * MOST_TAGS + 1) {
            throw new ProblemException(ProblemCode.BAD_REQUEST, header + " names more than " + MOST_TAGS + " tags");
        }
        return tags;
    }

    /// When a write must have the entity tag of its target, by kind of resource; properties of collections and
    /// databases override it.
    public record EtagPolicies(EtagPolicy db, EtagPolicy collection, EtagPolicy document) {
        public static final EtagPolicies DEFAULT =
                new EtagPolicies(EtagPolicy.REQUIRED_FOR_DELETE, EtagPolicy.REQUIRED_FOR_DELETE, EtagPolicy.OPTIONAL);

        /// Whether `If-Match` is required.
        public enum EtagPolicy {
            REQUIRED,
            REQUIRED_FOR_DELETE,
            OPTIONAL
        }
    }
}
