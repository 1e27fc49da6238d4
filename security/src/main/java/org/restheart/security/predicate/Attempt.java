package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.fields.EffectiveValue;
import org.restheart.bson.fields.TouchedPaths;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Other;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Account;
import org.restheart.http.access.DataTarget;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.ParameterValues;

/// A request, as predicates see it. Confined to one request: values bound by a template or a regular expression are
/// visible to the predicates to its right, until [#forget()] clears them before the next rule.
public final class Attempt {
    private final Request request;
    private final @Nullable Account account;
    private final boolean authenticationRequired;
    private @Nullable Map<String, String> bindings;
    private @Nullable TouchedPaths touched;
    private @Nullable RequestPath path;
    private @Nullable RequestPath usualPath;
    private final @Nullable String query;
    private boolean readsQuery;
    private final @Nullable Attempt asSent;
    private final boolean namesAreUsual;

    /// @param authenticationRequired whether the rules require an account; false while that is being decided
    public Attempt(Request request, @Nullable Account account, boolean authenticationRequired) {
        this.request = request;
        this.account = account;
        this.authenticationRequired = authenticationRequired;
        this.query = null;
        this.asSent = null;
        this.namesAreUsual = false;
    }

    private Attempt(Attempt asSent, RequestPath path, @Nullable String query, boolean namesAreUsual) {
        this.request = asSent.request;
        this.account = asSent.account;
        this.authenticationRequired = asSent.authenticationRequired;
        this.path = path;
        this.query = query;
        this.asSent = asSent;
        this.namesAreUsual = namesAreUsual;
    }

    /// Of rules that require an account, unless the request is anonymous.
    public Attempt(Request request, @Nullable Account account) {
        this(request, account, account != null);
    }

    public Request request() {
        return request;
    }

    public @Nullable Account account() {
        return account;
    }

    /// The path as sent, except for an id that is not the text in it (`/c/a?id_type=NULL`).
    RequestPath path() {
        if (path == null) {
            path = PathSpelling.withId(request);
        }
        return path;
    }

    /// The query string without the `?`.
    String query() {
        if (query != null) {
            return query;
        }
        readsQuery = true;
        if (asSent != null) {
            asSent.readsQuery = true;
        }
        return request.query().raw();
    }

    /// The same attempt, in the usual spelling of its path; empty if it is in that one, as is what a rule names.
    /// If what a rule names may be in another spelling, it is compared in the usual one, too: with the path as sent
    /// and with the usual one.
    ///
    /// @param isUnusual whether a rule names something in another spelling
    Stream<Attempt> withUsualPath(boolean isUnusual) {
        var asWritten = paths().skip(1).map(path -> new Attempt(this, path, null, false));
        return isUnusual
                ? Stream.concat(asWritten, paths().map(path -> new Attempt(this, path, null, true)))
                : asWritten;
    }

    /// Whether the paths that a rule names, and parts of them, are compared in the usual spelling.
    boolean isInUsualSpelling() {
        return namesAreUsual;
    }

    /// The same attempt, in the usual spellings of its query string; empty if no predicate has read that, of this
    /// attempt or [#withUsualPath].
    Stream<Attempt> withUsualQuery(boolean isUnusual) {
        var sent = request.query();
        return !readsQuery || sent.raw().isEmpty()
                ? Stream.empty()
                : sent.spellings().stream()
                        .filter(text -> !text.equals(sent.raw()))
                        .flatMap(text -> paths().flatMap(path -> Stream.of(false, true)
                                .limit(isUnusual ? 2 : 1)
                                .map(names -> new Attempt(this, path, text, names))));
    }

    private Stream<RequestPath> paths() {
        if (asSent != null) {
            return Stream.empty();
        }
        if (usualPath == null) {
            usualPath = PathSpelling.usual(path());
        }
        return usualPath.raw().equals(path().raw()) ? Stream.of(path()) : Stream.of(path(), usualPath);
    }

    /// The values of a query parameter by any of its names: those that handlers use, or that a service behind a
    /// proxy may use.
    List<String> parameter(String name) {
        return isForData()
                ? DataParameter.used(request.query(), name)
                : request.query().all(name);
    }

    /// One name for each of the parameters.
    Set<String> parameterNames(Set<String> names) {
        return isForData() && !names.isEmpty()
                ? names.stream().map(DataParameter::canonical).collect(Collectors.toSet())
                : names;
    }

    boolean authenticationRequired() {
        return authenticationRequired;
    }

    void bind(String name, String value) {
        if (bindings == null) {
            bindings = new HashMap<>();
        }
        bindings.put(name, value);
    }

    @Nullable
    String binding(String name) {
        var value = bindings == null ? null : bindings.get(name);
        if (value != null || asSent == null) {
            return value;
        }
        var sent = asSent.binding(name);
        return sent == null ? null : PathSpelling.usual(sent);
    }

    /// Clears the values bound by the last rule.
    public void forget() {
        bindings = null;
    }

    /// Whether a predicate is true of the request; one that cannot be evaluated is not.
    ///
    /// @throws ProblemException if the content has not arrived in time, or there is no room for it: no rule can
    ///     tell then whether it applies, and the next one must not decide in its place
    public boolean holds(Predicate predicate) {
        try {
            return predicate.test(this);
        } catch (Unanswerable _) {
            return false;
        } catch (ProblemException e) {
            if (e.problem().code() == ProblemCode.CONTENT_TIMED_OUT
                    || e.problem().status() >= 500) {
                throw e;
            }
            return false;
        }
    }

    /// The content, unless the request carries none or goes to a service whose content is not BSON. What comes with a
    /// method that writes nothing of it is none: it would satisfy rules about what is written.
    ///
    /// @throws ProblemException if it does not parse
    Optional<BsonValue> content() {
        return switch (request.method()) {
            case GET, HEAD, DELETE, OPTIONS -> Optional.empty();
            case POST, PUT, PATCH ->
                request.body().isEmpty()
                        ? Optional.empty()
                        : request.attribute(RequestContent.KEY).map(RequestContent::value);
        };
    }

    /// The one value that the content gives to a field; null if it leaves the field alone or removes it.
    ///
    /// @param field as a rule names it
    /// @throws Unanswerable if the field may get another value: from one of several documents, an expression, the
    ///     filter of an upsert
    /// @throws ProblemException if the content does not parse
    @Nullable
    BsonValue value(String field) {
        var path = path(field);
        boolean isCertain;
        if (content().orElse(null) instanceof BsonDocument document) {
            var effective = EffectiveValue.of(document, path);
            if (effective.value() != null) {
                return effective.value();
            }
            isCertain = effective.isCertain();
        } else {
            isCertain = touched().noneMatch(documents -> documents.has(path));
        }
        if (!isCertain || touchedByFilter().anyMatch(condition -> condition.has(path))) {
            throw new Unanswerable("no certain value");
        }
        return null;
    }

    /// Where a field that a rule names is in the content; empty for all of the content.
    String path(String field) {
        return request.attribute(RequestContent.KEY)
                .map(content -> content.path(field))
                .orElse(field);
    }

    /// Whether the service takes BSON at all.
    boolean isForData() {
        return request.attribute(RequestContent.KEY).isPresent();
    }

    /// The paths that an upsert stores besides its content: MongoDB copies values from its filter.
    Stream<TouchedPaths> touchedByFilter() {
        return UpsertFilters.of(request).stream().map(condition -> TouchedPaths.together(condition, true));
    }

    /// Whether there is a document in the content.
    ///
    /// @throws ProblemException if it does not parse
    boolean hasDocuments() {
        return content()
                .filter(content -> isUpdate() || !(content instanceof BsonArray array) || !array.isEmpty())
                .isPresent();
    }

    /// What each document of the content touches.
    ///
    /// @throws ProblemException if it does not parse
    Stream<TouchedPaths> touchedByEach() {
        return content().stream().flatMap(content -> replacesOne() ? touched() : TouchedPaths.of(content, isUpdate()));
    }

    /// What the documents of the content touch together; empty if there is no content.
    ///
    /// @throws ProblemException if it does not parse
    Stream<TouchedPaths> touched() {
        if (touched == null) {
            touched = content().map(this::touched).orElse(null);
        }
        return Stream.ofNullable(touched);
    }

    private TouchedPaths touched(BsonValue content) {
        return replacesOne() ? TouchedPaths.ofReplacement(content) : TouchedPaths.together(content, isUpdate());
    }

    private boolean isUpdate() {
        return request.require(DataTarget.KEY).operation().isChange(); // where there is content, there is a target
    }

    /// Whether the content is one document, where an array is none.
    private boolean replacesOne() {
        return request.require(DataTarget.KEY).operation() == Write.REPLACE_ONE;
    }

    /// The fields that an upsert stores besides its content: MongoDB copies the values that its filter compares with
    /// into the new document. Every field that a filter names counts, with any operator.
    public static final class UpsertFilters {
        private UpsertFilters() {}

        /// A document with one field for each condition of the request's filters, without conditions on
        /// `_id` if the path names the document. Empty if the request cannot insert a document. Malformed
        /// filters are ignored: the handler refuses them.
        public static List<BsonDocument> of(Request request) {
            var query = request.query();
            var operation =
                    request.attribute(DataTarget.KEY).map(DataTarget::operation).filter(UpsertFilters::copiesFilter);
            if (operation.isEmpty()
                    || DataParameter.WRITE_MODE
                            .choice(query)
                            .filter("upsert"::equals)
                            .isEmpty()) {
                return List.of();
            }
            boolean isNamed = operation.get() == Write.UPDATE;
            var conditions = new ArrayList<BsonDocument>();
            for (var parameter : List.of(DataParameter.FILTER, DataParameter.SHARD_KEY)) {
                ParameterValues.sent(parameter, query).forEach(filter -> collect(filter, isNamed, conditions));
            }
            return conditions;
        }

        private static boolean copiesFilter(Operation operation) {
            return switch (operation) {
                case Write.UPDATE, Write.UPDATE_MANY, Write.UPDATE_ONE, Write.REPLACE_ONE -> true;
                case Read _, Write _, Structure _, Other _ -> false;
            };
        }

        private static void collect(BsonValue filter, boolean isNamed, List<BsonDocument> conditions) {
            if (filter.isArray()) {
                filter.asArray().forEach(each -> collect(each, isNamed, conditions));
            } else if (filter.isDocument()) {
                filter.asDocument().forEach((name, value) -> {
                    if (name.startsWith("$")) {
                        collect(value, isNamed, conditions);
                    } else if (!isNamed || !name.equals("_id")) {
                        conditions.add(new BsonDocument(name, value));
                    }
                });
            }
        }
    }
}
