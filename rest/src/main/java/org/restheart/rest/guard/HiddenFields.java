package org.restheart.rest.guard;

import com.mongodb.MongoNamespace;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.FieldPath;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators;
import org.restheart.bson.fields.Update;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Access;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Read;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.DataTarget;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mongo.find.TextSearch;
import org.restheart.mongo.write.EntityTags;
import org.restheart.rest.exchange.DataRequest;

/// Refuses requests that depend on fields which the access rule hides: a filter, a sort, an index or a change that
/// depends on such a field reveals its value bit by bit. Projections are checked only for metadata, since they are
/// applied after the rule's ([org.restheart.mongo.find.Projection]).
public final class HiddenFields {
    /// Index options that do not depend on documents.
    private static final Set<String> HARMLESS = Set.of("key", "name", "background", "sparse", "collation");
    private static final String ID_INDEX = "_id_";
    private static final NamedOperators PROJECTED = new NamedOperators(
            (place, name, _) -> require(place.known().contains(name) && !Operators.METADATA.contains(name)));

    private HiddenFields() {}

    /// @param indexes of a collection; blocks
    /// @throws org.restheart.http.ProblemException 403
    public static void check(DataRequest request, Function<MongoNamespace, List<BsonDocument>> indexes) {
        request.grant().projectResponse().map(Visibility::of).ifPresent(visibility -> {
            var parameters = request.parameters();
            boolean searches = false; // or tells the score of the rule's own search
            for (var parameter : parameters.values().revealing()) {
                var sent = parameters.values().documents(parameter);
                switch (parameter.reveals()) {
                    case CONDITION -> {
                        var others = sent.stream().map(TextSearch::without).toList();
                        require(others.stream().allMatch(visibility::allowsFilter));
                        searches |= !others.equals(sent);
                    }
                    case ORDER -> {
                        var sort = TextSearch.withoutScores(parameters.find().sort());
                        require(visibility.allowsKeys(sort));
                        PROJECTED.projection(sort, Location.of("sort"));
                        searches |= !sort.equals(parameters.find().sort());
                        // what follows a key compares the id, too
                        require(parameter == DataParameter.SORT || visibility.shows("_id"));
                    }
                    case INDEX ->
                        require(parameters.values().json(parameter).stream()
                                .allMatch(hint -> allowsHint(visibility, hint)));
                    // $meta returns index and sort keys, and an unknown operator may do so too
                    case PROJECTION -> {
                        var others =
                                sent.stream().map(TextSearch::withoutScores).toList();
                        others.forEach(keys -> PROJECTED.projection(keys, Location.of("keys")));
                        searches |= !others.equals(sent);
                    }
                    // variables are checked with the stages, and filters of elements with the change, that they belong
                    // to, and what is read of other collections in requests for those
                    case VARIABLES, ELEMENTS, COMPARISON, RELATED, NOTHING -> {}
                }
            }
            if (searches) {
                request.http().requireThread();
                TextSearch.refusal(indexes.apply(request.namespace()), visibility)
                        .ifPresent(why -> {
                            throw new ProblemException(ProblemCode.FORBIDDEN, why);
                        });
            }
        });
    }

    /// Whether MongoDB's messages may quote data that the caller may not see: fields, or, since writes access other
    /// documents than reads, whole documents.
    public static boolean hidesErrorDetails(Request request) {
        var grant = request.caller().grant();
        return grant.projectResponse().isPresent()
                || (grant.readFilter().isPresent()
                        && meetsOthers(request.require(DataTarget.KEY).operation()));
    }

    /// Whether an operation may meet documents that the caller may not read: MongoDB may move the stages of a client's
    /// pipeline, whose messages quote, in front of the rule's.
    private static boolean meetsOthers(Operation operation) {
        return !(operation instanceof Read) || operation == Read.AGGREGATE;
    }

    /// Whether the caller may know the entity tags of stored documents. Without a rule for writes, those meet documents
    /// that reads do not.
    public static boolean showsTag(DataRequest request) {
        var grant = request.grant();
        if (grant.readFilter().isPresent() && grant.writeFilter().isEmpty() && meetsOthers(request.operation())) {
            return false;
        }
        return grant.projectResponse()
                .map(Visibility::of)
                .map(visibility -> visibility.shows(
                        request.path().kind().isFiles() ? "metadata." + EntityTags.FIELD : EntityTags.FIELD))
                .orElse(true);
    }

    /// @param content of a change, as sent
    /// @throws org.restheart.http.ProblemException 403
    public static void checkChange(Access grant, BsonValue content) {
        checkChange(grant, content, List.of());
    }

    /// @param content of a change, as sent
    /// @throws org.restheart.http.ProblemException 403
    public static void checkChange(Access grant, BsonValue content, List<BsonDocument> arrayFilters) {
        grant.projectResponse()
                .map(Visibility::of)
                .ifPresent(visibility -> require(visibility.allowsUpdate(
                        switch (Update.of(content)) {
                            case Update.Operators(var operators, var _) ->
                                new Update.Operators(operators, arrayFilters);
                            case Update.Pipeline pipeline -> pipeline;
                        },
                        Stream.of(grant.readFilter(), grant.writeFilter())
                                .flatMap(Optional::stream)
                                .toList())));
    }

    /// Checks a filter outside of the parameters.
    ///
    /// @throws org.restheart.http.ProblemException 403
    public static void checkFilter(Access grant, BsonDocument filter) {
        grant.projectResponse().map(Visibility::of).ifPresent(visibility -> require(visibility.allowsFilter(filter)));
    }

    /// Checks an index: whether its creation fails depends on all documents, and a TTL index deletes documents.
    ///
    /// @param specification as sent to MongoDB
    /// @throws org.restheart.http.ProblemException 403
    public static void checkIndex(DataRequest request, BsonDocument specification) {
        var grant = request.grant();
        var keys = specification.getDocument("key");
        if (grant.readFilter().isPresent() || grant.writeFilter().isPresent()) {
            boolean plain = keys.size() == 1
                    && keys.values().stream().allMatch(BsonValue::isNumber)
                    && keys.keySet().stream()
                            .noneMatch(key -> FieldPath.read(key).hasPositions()) // ambiguous for some
                    && specification.keySet().stream().allMatch(HARMLESS::contains);
            require(plain);
        }
        grant.projectResponse().map(Visibility::of).ifPresent(visibility -> {
            require(visibility.allowsKeys(keys)
                    && keys.keySet().stream().noneMatch(key -> key.contains("$**"))
                    && visibility.allowsKeys(specification.getDocument("weights", new BsonDocument()))
                    && visibility.allowsFilter(
                            specification.getDocument("partialFilterExpression", new BsonDocument())));
        });
    }

    /// Checks a hint. The name of an index does not show its fields, and its fields do not show which documents a
    /// partial index excludes, whose expression may be about hidden fields.
    private static boolean allowsHint(Visibility visibility, BsonValue hint) {
        return hint.isDocument()
                ? hint.asDocument().keySet().stream().allMatch(name -> name.equals("$natural") || name.equals("_id"))
                        && visibility.allowsKeys(hint.asDocument())
                : hint.isString() && hint.asString().getValue().equals(ID_INDEX);
    }

    private static void require(boolean allowed) {
        if (!allowed) {
            throw new ProblemException(ProblemCode.FORBIDDEN, "the query depends on fields that are not shown");
        }
    }
}
