package org.restheart.mongo.find;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.restheart.bson.fields.AnyName;
import org.restheart.bson.fields.Location;
import org.restheart.bson.fields.NamedOperators;
import org.restheart.bson.fields.Operators;
import org.restheart.bson.fields.Operators.Place;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.text.ShortText;

/// A filter in up to two steps: `rest` is evaluated only on documents that match `first`. Whether `rest` fails, and
/// how long it takes, then reveals nothing of documents that an access rule hides. Immutable by agreement.
///
/// @param first the access rule's filter and the harmless filters of the client; empty for everything
/// @param rest filters of the client that can fail or take long depending on a document; empty for everything
public record StagedFilter(BsonDocument first, BsonDocument rest) {
    public static final StagedFilter ALL = of(new BsonDocument());

    /// Operators that MongoDB evaluates by an index of their own: only in the first stage of a pipeline, or not in
    /// pipelines at all.
    public static final Set<String> ONLY_FIRST = Set.of("$text", "$near", "$nearSphere");

    private static final int MAX_QUOTED = 100;
    private static final NamedOperators WITHIN_RULE = new NamedOperators(StagedFilter::requireWithinRule);

    /// A filter in one step.
    public static StagedFilter of(BsonDocument filter) {
        return new StagedFilter(filter, new BsonDocument());
    }

    /// For any documents. Without a rule there is one step, since no document is hidden.
    ///
    /// @param rule the access rule's filter
    /// @param wanted the client's; all must match
    /// @throws org.restheart.http.ProblemException 403 if MongoDB cannot evaluate the client's after the rule's
    public static StagedFilter of(Optional<BsonDocument> rule, List<BsonDocument> wanted) {
        return rule.isEmpty() || rule.get().isEmpty() ? of(all(wanted)) : staged(rule, wanted);
    }

    /// For one document, whose id is [added][#and] afterwards: a rule may be about paths, so that `rest` must not
    /// be evaluated on other documents, even if the access rule has no filter.
    ///
    /// @throws org.restheart.http.ProblemException 403 if MongoDB cannot evaluate the client's after the rule's
    public static StagedFilter ofOne(Optional<BsonDocument> rule, List<BsonDocument> wanted) {
        return staged(rule, wanted);
    }

    /// For a write, which has one filter.
    ///
    /// @throws org.restheart.http.ProblemException 403 if there would have to be two steps
    public static BsonDocument ofWrites(Optional<BsonDocument> rule, List<BsonDocument> wanted) {
        var filter = of(rule, wanted);
        if (filter.isStaged()) {
            throw new ProblemException(
                    ProblemCode.FORBIDDEN,
                    "within an access rule, the filter of a write may only compare: find the documents first,"
                            + " then name their ids");
        }
        return filter.single();
    }

    private static StagedFilter staged(Optional<BsonDocument> rule, List<BsonDocument> wanted) {
        var first = new ArrayList<BsonDocument>();
        var rest = new ArrayList<BsonDocument>();
        wanted.forEach(filter -> split(filter, first, rest));
        rule.filter(filter -> !filter.isEmpty()).ifPresent(first::add);
        var filter = new StagedFilter(all(first), all(rest));
        if (rule.isPresent()) {
            WITHIN_RULE.filter(filter.rest(), Location.of("filter"));
        }
        if (filter.isStaged() && AnyName.in(filter.rest(), ONLY_FIRST::contains)) {
            throw new ProblemException(
                    ProblemCode.FORBIDDEN,
                    "within an access rule, $text, $near and $nearSphere stand at the top of a filter, or in an $and"
                            + " there: MongoDB cannot evaluate them after the rule");
        }
        return filter;
    }

    /// Refuses what in a projection or a sort may depend on documents that the access rule hides.
    ///
    /// @throws org.restheart.http.ProblemException 403
    public static void requireWithinRule(BsonDocument projection) {
        WITHIN_RULE.projection(TextSearch.withoutScores(projection), Location.of("keys"));
    }

    private static void requireWithinRule(Place place, String name, Location at) {
        if (Operators.METADATA.contains(name) || !place.known().contains(name)) {
            throw new ProblemException(
                    ProblemCode.FORBIDDEN,
                    ShortText.of(name, MAX_QUOTED) + " is not available within an access rule, at " + at);
        }
    }

    /// One filter for the documents that match all of these; for every document if there are none.
    public static BsonDocument all(List<BsonDocument> filters) {
        return switch (filters.size()) {
            case 0 -> new BsonDocument();
            case 1 -> filters.getFirst();
            default -> new BsonDocument("$and", new BsonArray(filters));
        };
    }

    /// The stages of a pipeline that apply an access rule's filter; none without one.
    public static List<BsonDocument> stages(Optional<BsonDocument> rule) {
        return rule.filter(filter -> !filter.isEmpty())
                .map(filter -> List.of(new BsonDocument("$match", filter), barrier(Long.MAX_VALUE)))
                .orElse(List.of());
    }

    /// A stage between filters: MongoDB moves no `$match` across a `$limit`, as that would change which documents
    /// are counted (docs/decisions/0012-access-rules-come-first.md). So no expression of a client is evaluated on a
    /// document that the access rule excludes.
    static BsonDocument barrier(long most) {
        return new BsonDocument("$limit", new BsonInt64(most));
    }

    private static void split(BsonDocument filter, List<BsonDocument> first, List<BsonDocument> rest) {
        if (HarmlessFilter.is(filter)) {
            first.add(filter);
            return;
        }
        filter.forEach((name, value) -> {
            var clause = new BsonDocument(name, value);
            if (name.equals("$and") && isListOfDocuments(value)) {
                value.asArray().forEach(each -> split(each.asDocument(), first, rest));
            } else if (HarmlessFilter.is(clause) || isSearch(name, value)) {
                first.add(clause);
            } else {
                rest.add(clause);
            }
        });
    }

    /// Whether MongoDB finds what matches by an index made for it, which no document makes fail.
    private static boolean isSearch(String name, BsonValue value) {
        return name.equals("$text") || (!name.startsWith("$") && Near.isOnly(value));
    }

    private static boolean isListOfDocuments(BsonValue value) {
        return value.isArray()
                && !value.asArray().isEmpty()
                && value.asArray().stream().allMatch(BsonValue::isDocument);
    }

    /// Whether all documents match.
    public boolean isEmpty() {
        return first.isEmpty() && rest.isEmpty();
    }

    /// Whether there are two steps, which require a pipeline.
    public boolean isStaged() {
        return !rest.isEmpty();
    }

    /// The filter, if it is one step.
    public BsonDocument single() {
        if (isStaged()) {
            throw new IllegalStateException("two steps");
        }
        return first;
    }

    /// The same, for documents that match `harmless` too.
    public StagedFilter and(BsonDocument harmless) {
        return new StagedFilter(first.isEmpty() ? harmless : all(List.of(harmless, first)), rest);
    }
}
