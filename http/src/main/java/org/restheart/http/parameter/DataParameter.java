package org.restheart.http.parameter;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.restheart.data.Operation;
import org.restheart.http.Method;
import org.restheart.http.Query;
import org.restheart.http.access.ResourceKind;
import org.restheart.text.Words;

/// The query parameters of the data API, each declared once, by a line of the table. Parsing, refusals, warnings, the
/// checks of hidden fields, what predicates of rules compare, the OpenAPI document, the reference and the console
/// follow the declaration. Values are checked in the order of the constants: the first wrong one is reported.
@SuppressWarnings("ImmutableEnumChecker") // unmodifiable lists and sets of texts
public enum DataParameter {
    PAGE_SIZE,
    PAGE,
    SORT,
    HINT,
    EAGER,
    KEYS,
    EMBED,
    COUNT,
    FILTER,
    VARIABLES_OF_PIPELINE,
    ID_TYPE,
    REPRESENTATION,
    HAL,
    WITHOUT_PROPERTIES,
    JSON_MODE,
    READ_CONCERN,
    READ_PREFERENCE,
    WRITE_CONCERN,
    SHARD_KEY,
    WRITE_MODE,
    CHECK_ETAG,
    COLLATION,
    ARRAY_FILTERS,
    WITHOUT_CACHE,
    CACHE,
    AFTER,
    EXPLAIN,
    SCHEMA,
    RESUME_AFTER,
    START_AT,
    SESSION,
    TRANSACTION,
    PRETTY,
    WITHOUT_CHALLENGE;

    private static final class Declarations {
        /// In each line: the constant; its name, and the former one, which prevails; words that MongoDB and
        /// other gateways have for it, in lower case; what it reveals; its form; whether several values
        /// count (`repeatable`; of others the first), whether the read of what was written has it too
        /// (`inherited`), whether a write without it may be another than its client meant (`deciding`); the
        /// operations to which it applies, if their descriptions name it; its meaning. A hyphen stands for
        /// nothing.
        static final Map<String, List<String>> LINES = """
            PAGE_SIZE             | pagesize             | limit size per_page perpage  | NOTHING    | number 0 max   | -          | FIND LIST CHECK RUN AGGREGATE | documents per page
            PAGE                  | page                 | skip offset                  | NOTHING    | number 1       | -          | FIND LIST RUN AGGREGATE | the number of the page, from 1
            SORT                  | sort sort_by         | order order_by orderby       | ORDER      | json SORT      | repeatable | FIND CHECK | an order: a property, `-property`, or an object; several count in order
            HINT                  | hint                 | -                            | INDEX      | json HINT      | repeatable | FIND COUNT CHECK | an index: its keys, also `+property` and `-property`, or its name
            EAGER                 | eager                | -                            | NOTHING    | must LINEAR RANDOM NONE | - | FIND | where the positions of deep pages are prepared
            KEYS                  | keys                 | projection fields select     | PROJECTION | json OBJECT {"_id": 1} | repeatable | FIND GET | a projection: which properties are wanted; several are merged
            EMBED                 | embed                | expand include populate      | RELATED    | json EMBED | repeatable | FIND GET | documents that are related by `rels` of the collection, each as its own `GET` would show it: names, `a,b.c`, or an object of `limit`, `sort`, `keys`, `filter` and `embed` by name
            COUNT                 | count                | -                            | NOTHING    | flag estimated | -          | FIND | count what matches; `estimated`: from metadata, where nothing is filtered
            FILTER                | filter               | query q where                | CONDITION  | json CONDITION {"_id": {"$exists": true}} | repeatable | FIND GET COUNT CHECK REPLACE DELETE UPDATE DELETE_MANY UPDATE_MANY | a query of MongoDB; may be repeated, all must match
            VARIABLES_OF_PIPELINE | avars                | -                            | VARIABLES  | json VARIABLES {} | -       | RUN AGGREGATE WATCH | values of the variables of the pipeline
            ID_TYPE               | id_type              | -                            | NOTHING    | must OID STRING_OID STRING NUMBER DATE MINKEY MAXKEY NULL BOOLEAN UUID DECIMAL128 DOCUMENT =STRING_OID | inherited | GET INSERT REPLACE DELETE UPDATE | the type of the id
            REPRESENTATION        | rep                  | -                            | NOTHING    | may STANDARD HAL SHAL S=STANDARD PLAIN_JSON=SHAL PJ=SHAL | inherited | FIND LIST GET INSERT DELETE_MANY UPDATE_MANY RUN AGGREGATE | the representation of results
            HAL                   | hal                  | -                            | NOTHING    | must FULL F=FULL COMPACT C=COMPACT | - | FIND LIST GET RUN AGGREGATE | how many links HAL has
            WITHOUT_PROPERTIES    | np                   | -                            | NOTHING    | flag           | -          | FIND LIST GET RUN AGGREGATE | without properties of the collection, in HAL
            JSON_MODE             | jsonMode             | -                            | NOTHING    | may relaxed strict extended shell plain default=default | inherited | EVERY | how types that JSON lacks are spelled
            READ_CONCERN          | readConcern          | -                            | NOTHING    | may local available majority linearizable snapshot | - | FIND GET COUNT CHECK | for this request, in place of the connection's
            READ_PREFERENCE       | readPreference       | -                            | NOTHING    | may primary primaryPreferred secondary secondaryPreferred nearest | - | FIND GET COUNT CHECK | for this request, in place of the connection's
            WRITE_CONCERN         | writeConcern         | -                            | NOTHING    | may ACKNOWLEDGED W1 W2 W3 JOURNALED MAJORITY UNACKNOWLEDGED=UNACKNOWLEDGED | - | INSERT REPLACE DELETE UPDATE DELETE_MANY UPDATE_MANY | for this request, in place of the connection's
            SHARD_KEY             | shardkey             | -                            | CONDITION  | json CONDITION {"_id": 1} | inherited | GET REPLACE DELETE UPDATE DELETE_MANY UPDATE_MANY | the shard key of the document
            WRITE_MODE            | wm writeMode         | upsert                       | NOTHING    | may insert update upsert | - | INSERT REPLACE DELETE UPDATE | whether documents are inserted, updated, or either
            CHECK_ETAG            | checkEtag            | etag if_match ifmatch        | NOTHING    | flag           | deciding   | REPLACE DELETE UPDATE CREATE ALTER DROP | require `If-Match`
            COLLATION             | collation            | -                            | COMPARISON | json OBJECT {"locale": "en", "strength": 2} | - | FIND COUNT CHECK DELETE_MANY UPDATE_MANY RUN AGGREGATE | how texts are compared and sorted
            ARRAY_FILTERS         | arrayFilters         | -                            | ELEMENTS   | json FILTERS [{"e.n": {"$gt": 1}}] | - | UPDATE UPDATE_MANY | which elements `$[e]` in paths stands for
            WITHOUT_CACHE         | nocache              | -                            | NOTHING    | flag           | -          | FIND GET | ask MongoDB whether database and collection exist
            CACHE                 | cache                | -                            | NOTHING    | switch         | -          | FIND | accepted, without effect
            AFTER                 | after                | -                            | ORDER      | json TEXT      | -          | FIND CHECK | taken from the `Link` of a page: what follows that page
            EXPLAIN               | explain              | -                            | NOTHING    | must queryPlanner executionStats =queryPlanner | - | - | the plan of the query in place of its documents
            SCHEMA                | schema               | -                            | NOTHING    | text string    | -          | CHECK | a schema of the database's store; without, the collection's
            RESUME_AFTER          | resumeAfter          | -                            | NOTHING    | json TEXT {"_data": "…"} | - | WATCH | what follows the event with this token; tokens come with events
            START_AT              | startAtOperationTime | -                            | NOTHING    | text string    | -          | WATCH | what follows this time: seconds since 1970, or a timestamp
            SESSION               | sid                  | session sessionid session_id | NOTHING    | text string uuid | inherited deciding | FIND GET COUNT CHECK INSERT REPLACE DELETE UPDATE DELETE_MANY UPDATE_MANY | a session
            TRANSACTION           | txn                  | tx txid trx trxid txnid txn_id transactionid transaction_id transaction | NOTHING | text integer int64 | inherited deciding | FIND GET COUNT CHECK INSERT REPLACE DELETE UPDATE DELETE_MANY UPDATE_MANY | a transaction of the session
            PRETTY                | pretty               | -                            | NOTHING    | switch         | -          | - | JSON over several lines
            WITHOUT_CHALLENGE     | noauthchallenge      | -                            | NOTHING    | flag           | -          | - | no `WWW-Authenticate` with a refusal
            """.lines()
                .map(line -> List.of(line.split(" +[|] +", 8)))
                .collect(Collectors.toMap(List::getFirst, line -> line));
    }

    private static final Map<String, DataParameter> BY_NAME = new HashMap<>();
    private static final Map<String, String> MEANT = new HashMap<>();

    static {
        for (var parameter : values()) {
            parameter.names.forEach(name -> BY_NAME.put(name, parameter));
            parameter
                    .cell(2)
                    .forEach(word ->
                            MEANT.put(word, parameter.wireName() + (parameter.form.has(word) ? "=" + word : "")));
        }
    }

    private final List<String> line =
            Objects.requireNonNull(Declarations.LINES.get(name()), name() + " is not declared");
    private final List<String> names = cell(1);
    private final Reveals reveals = Reveals.valueOf(line.get(3));
    private final ValueForm form = ValueForm.of(line.get(4));
    private final Set<String> traits = Set.copyOf(cell(5));
    private final boolean isRepeatable = traits.contains("repeatable");
    private final Set<String> operations = Set.copyOf(cell(6));
    private final boolean isLocal = operations.equals(Set.of("CHECK")) || operations.equals(Set.of("WATCH"));

    private List<String> cell(int column) {
        var text = line.get(column);
        return text.equals("-") ? List.of() : Words.list(text);
    }

    /// The parameter of this name; empty if there is none.
    public static Optional<DataParameter> of(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /// All names, former ones included.
    public static Set<String> allNames() {
        return BY_NAME.keySet();
    }

    /// The parameters of a query, in the order of the declarations.
    public static Set<DataParameter> in(Query query) {
        var all = EnumSet.noneOf(DataParameter.class);
        for (var name : query.names()) {
            var parameter = BY_NAME.get(name);
            if (parameter != null) {
                all.add(parameter);
            }
        }
        return all;
    }

    /// What a word that MongoDB and other gateways use stands for: a parameter, or one with a value.
    ///
    /// @param word in any case
    public static Optional<String> meantBy(String word) {
        return Optional.ofNullable(MEANT.get(word.toLowerCase(Locale.ROOT)));
    }

    /// The one name of a parameter that may have two; other names as they are.
    public static String canonical(String name) {
        return of(name).map(DataParameter::wireName).orElse(name);
    }

    /// The values that the API uses, for any name of a query.
    public static List<String> used(Query query, String name) {
        return of(name).map(parameter -> parameter.texts(query)).orElseGet(() -> query.all(name));
    }

    public String wireName() {
        return names.getFirst();
    }

    /// Its names, the present one first.
    public List<String> names() {
        return names;
    }

    /// The name that a query uses, of the two that it may have: the former one prevails.
    public String nameIn(Query query) {
        return names.size() > 1 && query.has(names.getLast()) ? names.getLast() : names.getFirst();
    }

    public boolean isIn(Query query) {
        return query.has(nameIn(query));
    }

    /// The values that count: all of one that may be repeated, else the first.
    public List<String> texts(Query query) {
        var all = query.all(nameIn(query));
        return isRepeatable || all.size() <= 1 ? all : List.of(all.getFirst());
    }

    /// The first value; empty text for a parameter sent without one.
    public Optional<String> first(Query query) {
        return query.first(nameIn(query));
    }

    /// The value of a [ValueForm.Choice], in its usual spelling; empty for an unknown one.
    public Optional<String> choice(Query query) {
        return first(query).flatMap(((ValueForm.Choice) form)::read);
    }

    /// Whether a [ValueForm.Flag] or a [ValueForm.Switch] is on.
    public boolean isOn(Query query) {
        return first(query)
                .filter(text -> !(form instanceof ValueForm.Switch) || !ValueForm.Switch.isOff(text))
                .isPresent();
    }

    public Reveals reveals() {
        return reveals;
    }

    public ValueForm form() {
        return form;
    }

    /// What it means, in one line of Markdown.
    public String meaning() {
        return line.getLast();
    }

    public boolean appliesTo(Operation operation) {
        return operations.contains("EVERY") || operations.contains(operation.toString());
    }

    public Set<Method> methods() {
        var methods = EnumSet.noneOf(Method.class);
        for (var method : List.of(Method.GET, Method.POST, Method.PUT, Method.PATCH, Method.DELETE)) {
            for (var kind : ResourceKind.values()) {
                if (appliesTo(OperationTable.of(kind, method))) {
                    methods.add(method);
                }
            }
        }
        return methods;
    }

    /// Whether a request may have it: some names mean nothing but where they are read, as those of variables may.
    public boolean isKnown(Operation operation) {
        return !isLocal || appliesTo(operation);
    }

    public boolean isInherited() {
        return traits.contains("inherited");
    }

    /// Whether it selects documents, or their order.
    public boolean selects() {
        return switch (reveals) {
            case CONDITION, ELEMENTS, ORDER, INDEX, COMPARISON -> true;
            case PROJECTION, RELATED, VARIABLES, NOTHING -> false;
        };
    }

    /// Whether it decides which documents a write changes, and whether at all.
    public boolean decidesWrites() {
        return traits.contains("deciding")
                || switch (reveals) {
                    case CONDITION, ELEMENTS, COMPARISON -> true;
                    case ORDER, INDEX, PROJECTION, RELATED, VARIABLES, NOTHING -> false;
                };
    }

    /// What a value can reveal of documents that its caller may not see.
    public enum Reveals {
        /// It is about no field.
        NOTHING,
        /// It is compared with fields.
        CONDITION,
        /// It is compared with the elements of arrays that a change names, and is checked with the change.
        ELEMENTS,
        /// Fields determine the order.
        ORDER,
        /// An index shows its fields.
        INDEX,
        /// It says how texts are compared.
        COMPARISON,
        /// It names fields and expressions to be returned.
        PROJECTION,
        /// It names documents of other collections, whose reads are requests of their own and checked as such.
        RELATED,
        /// It becomes part of a pipeline, whose author decides what it is compared with.
        VARIABLES
    }
}
