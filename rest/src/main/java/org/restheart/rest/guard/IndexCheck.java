package org.restheart.rest.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.model.Collation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;
import org.restheart.bson.fields.QueryPlan;
import org.restheart.bson.fields.Stages;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Privilege;
import org.restheart.http.FoundWarnings;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mongo.find.CountQuery;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.rest.exchange.DataHandler;
import org.restheart.rest.exchange.DataRequest;

/// Refuses queries, or warns of them, that read a large collection as a whole or sort it in memory, since no index
/// serves them. MongoDB is asked for its plan once for each shape of a query: what is compared and how, whatever the
/// values. The access rule's filter is a part of the query. Thread-safe.
public final class IndexCheck {
    /// What is done about such a query, unless the caller's permission has it refused.
    public enum Mode {
        OFF,
        WARN,
        REFUSE
    }

    /// @param above documents of a collection that any query may read
    public record Settings(Mode mode, int above) {}

    private static final Duration KEPT = Duration.ofSeconds(60);

    /// An index that has been made past this gateway soon helps.
    private static final Duration REFUSAL_KEPT = Duration.ofSeconds(5);

    private static final int USUAL_BYTES = 512;
    private static final int MAX_SHAPES = 10_000;
    private static final int MAX_INDEX_FIELDS = 32;

    /// Where values stay, since they decide what an index can do: a sparse one finds only what exists.
    private static final Set<String> DECIDING = Set.of("$sort", "$exists");

    /// Members of stages that are filters.
    private static final Set<String> FILTERS = Set.of("$match", "query", "restrictSearchWithMatch");

    private final Settings settings;
    private final DriverFinder documents;
    private final Function<MongoNamespace, List<BsonDocument>> indexes;
    private final Cache<Shape, Verdict> verdicts = Caffeine.newBuilder()
            .<Shape, Verdict>weigher((shape, _) -> shape.key().weight(USUAL_BYTES))
            .maximumWeight((long) USUAL_BYTES * MAX_SHAPES)
            .expireAfter(Expiry.writing((Shape _, Verdict verdict) -> verdict.isGood() ? KEPT : REFUSAL_KEPT))
            .build();

    private record Shape(MongoNamespace namespace, QueryKey key) {}

    /// @param byValue whether another query of the same shape may have another verdict
    private record Verdict(boolean scans, boolean sorts, boolean byValue) {
        boolean isGood() {
            return !scans && !sorts;
        }
    }

    /// @param parts of the key, once with values and once without
    /// @param filter with which the query begins
    private record Question(
            MongoNamespace namespace,
            List<BsonValue> parts,
            Supplier<QueryPlan> plan,
            ReadSettings settings,
            StagedFilter filter,
            BsonDocument sort) {
        Shape shape(boolean withValues) {
            var key = QueryKey.of(namespace).add(settings.collation().map(Collation::asDocument));
            parts.forEach(part -> key.add(withValues ? part : withoutValues(part, !part.isArray())));
            return new Shape(namespace, key.key());
        }
    }

    /// @param indexes of a collection; blocks
    public IndexCheck(Settings settings, DriverFinder documents, Function<MongoNamespace, List<BsonDocument>> indexes) {
        this.settings = settings;
        this.documents = documents;
        this.indexes = indexes;
    }

    private Mode mode(DataRequest request) {
        return request.grant().requireIndex() ? Mode.REFUSE : settings.mode();
    }

    /// Checks a query. The order that the gateway chooses where the client wants none may be made in memory.
    ///
    /// @throws ProblemException 400 if it needs an index
    /// @throws com.mongodb.MongoException if MongoDB refuses the query
    public void require(DataRequest request, FindQuery query) {
        boolean isSorted = request.parameters().values().has(DataParameter.SORT)
                && !query.sort().isEmpty();
        if (mode(request) == Mode.OFF || (query.filter().isEmpty() && !isSorted)) {
            return; // no index would make it read less
        }
        var asked = query.with(query.settings().forPlan());
        var options = new BsonDocument("sort", query.sort()).append("sorted", new BsonInt32(isSorted ? 1 : 0));
        query.hint().ifPresent(hint -> options.append("hint", hint));
        var question = new Question(
                query.namespace(),
                List.of(query.filter().first(), query.filter().rest(), new BsonDocument("$sort", options)),
                () -> QueryPlan.ofQuery(documents.explain(asked, false)),
                asked.settings(),
                query.filter(),
                query.sort());
        judge(request, question, isSorted);
    }

    /// The same for a count.
    ///
    /// @throws ProblemException as above
    /// @throws com.mongodb.MongoException as above
    public void require(DataRequest request, CountQuery query) {
        require(request, unsorted(request, query.filter(), query.settings()));
    }

    private static FindQuery unsorted(DataRequest request, StagedFilter filter, ReadSettings settings) {
        return new FindQuery(
                request.namespace(), filter, Projection.ALL, new BsonDocument(), Optional.empty(), 0, 0, settings);
    }

    /// The same for a pipeline, and for what it reads of other collections. What is sorted behind other stages than
    /// filters has no index.
    ///
    /// @throws ProblemException as above
    /// @throws com.mongodb.MongoException as above
    public void require(DataRequest request, List<BsonDocument> stages, ReadSettings settings) {
        if (mode(request) == Mode.OFF) {
            return;
        }
        var asked = settings.forPlan();
        var namespace = request.namespace();
        require(request, namespace, stages, asked, () -> documents.explain(namespace, stages, asked, false));
    }

    private void require(
            DataRequest request,
            MongoNamespace namespace,
            List<BsonDocument> stages,
            ReadSettings asked,
            Supplier<BsonDocument> explained) {
        int filters = (int) stages.stream()
                .takeWhile(stage -> stage.get("$match") instanceof BsonDocument)
                .count();
        var filter = StagedFilter.all(stages.stream()
                .limit(filters)
                .map(stage -> stage.getDocument("$match"))
                .toList());
        var sort = filters < stages.size() && stages.get(filters).get("$sort") instanceof BsonDocument keys
                ? keys
                : new BsonDocument();
        var question = new Question(
                namespace,
                List.of(new BsonArray(stages)),
                () -> QueryPlan.ofPipeline(explained.get(), Long.MAX_VALUE),
                asked,
                StagedFilter.of(filter),
                sort);
        judge(request, question, true);
        for (var inner : InnerPipeline.of(stages)) {
            var other = new MongoNamespace(namespace.getDatabaseName(), inner.collection());
            require(request, other, inner.stages(), asked, () -> explained(other, inner.stages(), asked));
        }
    }

    /// No plan if MongoDB cannot evaluate the stages without the values of their variables.
    private BsonDocument explained(MongoNamespace namespace, List<BsonDocument> stages, ReadSettings asked) {
        try {
            return documents.explain(namespace, stages, asked, false);
        } catch (MongoCommandException _) {
            return new BsonDocument();
        }
    }

    /// The handler of a write of all documents, or of one, that a filter matches, with a check of that.
    public DataHandler ofWrites(DataHandler write, Duration timeLimit) {
        return request -> {
            if (mode(request) != Mode.OFF) {
                var filter = StagedFilter.of(request.writeFilter());
                require(request, unsorted(request, filter, request.readSettings(timeLimit)));
            }
            return write.handle(request);
        };
    }

    /// Forgets the plans of a database, after a change of its structure.
    public void forget(String db) {
        verdicts.asMap()
                .keySet()
                .removeIf(shape -> shape.namespace().getDatabaseName().equals(db));
    }

    private void judge(DataRequest request, Question question, boolean isSorted) {
        var verdict = verdict(request, question, false);
        if (verdict.byValue()) {
            verdict = verdict(request, question, true);
        }
        if (verdict.isGood() || (!verdict.scans() && !isSorted)) {
            return;
        }
        var text = (verdict.scans()
                        ? "no index serves this query: MongoDB would read the whole collection"
                        : "no index has the order of this query: MongoDB would sort in memory")
                + suggested(request, question)
                        .map(index -> "; make the index " + index + of(request, question.namespace()))
                        .orElse("");
        if (mode(request) == Mode.REFUSE) {
            throw new ProblemException(ProblemCode.NO_INDEX, text);
        }
        FoundWarnings.add(request.http(), text);
    }

    private static String of(DataRequest request, MongoNamespace namespace) {
        return namespace.equals(request.namespace()) ? "" : " of '" + namespace.getCollectionName() + "'";
    }

    private Verdict verdict(DataRequest request, Question question, boolean withValues) {
        var shape = question.shape(withValues);
        var known = verdicts.getIfPresent(shape);
        if (known != null) {
            return known;
        }
        request.http().requireThread();
        return verdicts.get(shape, _ -> ask(question));
    }

    private Verdict ask(Question question) {
        var plan = question.plan().get();
        if (!plan.scans() && !plan.sorts()) {
            return new Verdict(false, false, plan.isPartial());
        }
        // that of a view
        var collection = plan.namespace().map(MongoNamespace::new).orElse(question.namespace());
        var size = new CountQuery(collection, StagedFilter.ALL, true, 0, question.settings());
        boolean isLarge = documents.count(size) > settings.above();
        boolean byValue = isLarge
                && indexes.apply(collection).stream().anyMatch(index -> index.containsKey("partialFilterExpression"));
        return new Verdict(isLarge && plan.scans(), isLarge && plan.sorts(), byValue);
    }

    /// An index for the query, as a client makes one: what must be equal, the order, what else is compared.
    /// Only for those who may see which indexes there are.
    private static Optional<BsonDocument> suggested(DataRequest request, Question question) {
        if (!request.grant().allows(Privilege.MANAGEMENT)) {
            return Optional.empty();
        }
        var equal = new LinkedHashSet<String>();
        var compared = new LinkedHashSet<String>();
        addFields(question.filter().first(), equal, compared);
        addFields(question.filter().rest(), equal, compared);
        var keys = new BsonDocument();
        equal.forEach(field -> keys.append(field, new BsonInt32(1)));
        question.sort().forEach((field, direction) -> {
            if (direction.isNumber() && !field.startsWith("$")) {
                keys.putIfAbsent(field, new BsonInt32(direction.asNumber().doubleValue() < 0 ? -1 : 1));
            }
        });
        compared.forEach(field -> keys.putIfAbsent(field, new BsonInt32(1)));
        boolean isShown = request.grant()
                .projectResponse()
                .map(Visibility::of)
                .map(visibility -> visibility.allowsKeys(keys))
                .orElse(true);
        if (keys.isEmpty() || keys.keySet().equals(Set.of("_id")) || keys.size() > MAX_INDEX_FIELDS || !isShown) {
            return Optional.empty();
        }
        var index = new BsonDocument("keys", keys);
        question.settings()
                .collation()
                .ifPresent(collation -> index.append("ops", new BsonDocument("collation", collation.asDocument())));
        return Optional.of(index);
    }

    private static void addFields(BsonDocument filter, Set<String> equal, Set<String> compared) {
        filter.forEach((name, value) -> {
            if (name.equals("$and") && value instanceof BsonArray all) {
                all.forEach(each -> {
                    if (each instanceof BsonDocument part) {
                        addFields(part, equal, compared);
                    }
                });
            } else if (!name.startsWith("$")) {
                boolean hasOperators = value instanceof BsonDocument operators
                        && !operators.isEmpty()
                        && operators.getFirstKey().startsWith("$");
                boolean isEqual = hasOperators
                        ? Set.of("$eq", "$in").containsAll(value.asDocument().keySet())
                        : !value.isRegularExpression();
                (isEqual ? equal : compared).add(name);
            }
        });
    }

    /// The same with types in place of values, those in arrays of filters once each. Paths of fields stay, and orders;
    /// outside filters all texts, which name fields and collections.
    private static BsonValue withoutValues(BsonValue value, boolean isFilter) {
        return switch (value) {
            case BsonDocument document ->
                BsonValues.copy(
                        document,
                        (name, inner) -> DECIDING.contains(name)
                                ? inner
                                : withoutValues(inner, isFilter || FILTERS.contains(name)));
            case BsonArray array -> {
                var shapes = array.stream().map(inner -> withoutValues(inner, isFilter));
                yield new BsonArray((isFilter ? shapes.distinct() : shapes).toList());
            }
            case BsonString text when !isFilter || text.getValue().startsWith("$") -> text;
            default -> new BsonString(value.getBsonType().name());
        };
    }

    /// What stages of a pipeline read of another collection, as a pipeline of that, with an example in
    /// place of each value of the documents that are joined. It has the plan that MongoDB makes for them.
    record InnerPipeline(String collection, List<BsonDocument> stages) {
        private static final BsonDocument EXAMPLE = new BsonDocument("$literal", new BsonString(""));

        /// Those of stages; theirs are found in the same way.
        static List<InnerPipeline> of(List<BsonDocument> stages) {
            var found = new ArrayList<InnerPipeline>();
            for (var stage : stages) {
                stage.forEach((name, options) -> {
                    var reached = Stages.reached(name, options);
                    if (reached.isEmpty()) { // its pipelines are of the same collection
                        Stages.pipelines(name, options).values().forEach(inner -> found.addAll(of(list(inner))));
                    } else if (!reached.get().written() && reached.get().db().isEmpty()) {
                        found.add(new InnerPipeline(reached.get().collection(), joining(options)));
                    }
                });
            }
            return found;
        }

        /// What finds the documents for one document.
        private static List<BsonDocument> joining(BsonValue options) {
            var stages = new ArrayList<BsonDocument>();
            for (var field : List.of("foreignField", "connectToField")) {
                if (Stages.member(options, field) instanceof BsonString compared) {
                    var example = new BsonDocument("$eq", new BsonString(""));
                    stages.add(new BsonDocument("$match", new BsonDocument(compared.getValue(), example)));
                }
            }
            if (Stages.member(options, "restrictSearchWithMatch") instanceof BsonDocument filter) {
                stages.add(new BsonDocument("$match", filter));
            }
            var variables = Stages.member(options, "let") instanceof BsonDocument let ? let.keySet() : Set.<String>of();
            list(Stages.member(options, "pipeline"))
                    .forEach(inner -> stages.add(withExamples(inner, variables).asDocument()));
            return stages;
        }

        private static List<BsonDocument> list(BsonValue pipeline) {
            return pipeline instanceof BsonArray stages
                    ? stages.stream()
                            .filter(BsonValue::isDocument)
                            .map(BsonValue::asDocument)
                            .toList()
                    : List.of();
        }

        private static BsonValue withExamples(BsonValue value, Set<String> variables) {
            return value instanceof BsonString text
                            && text.getValue().startsWith("$$")
                            && variables.contains(text.getValue().substring(2).split("\\.", 2)[0])
                    ? EXAMPLE
                    : BsonValues.copy(value, inner -> withExamples(inner, variables));
        }
    }
}
