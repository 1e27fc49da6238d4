package org.restheart.rest;

import static org.restheart.http.ProblemCode.BAD_REQUEST;
import static org.restheart.http.ProblemCode.METHOD_NOT_ALLOWED;
import static org.restheart.http.ProblemCode.NOT_FOUND;
import static org.restheart.http.ProblemCode.PARAMETER_INVALID;

import java.util.Locale;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.JsonMode;
import org.restheart.bson.fields.FilterMistakes;
import org.restheart.data.Operation;
import org.restheart.data.Operation.Read;
import org.restheart.data.Operation.Structure;
import org.restheart.data.Operation.Write;
import org.restheart.http.EntityTagList;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.DataTarget;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest.Answer;
import org.restheart.mongo.metadata.ResourceMetadata;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.mongo.write.EntityTags;
import org.restheart.mongo.write.Precondition;
import org.restheart.rest.aggregation.Aggregation;
import org.restheart.rest.content.DataContent;
import org.restheart.rest.content.UpdateContent;
import org.restheart.rest.exchange.DataRequest;
import org.restheart.rest.exchange.DataRequest.DocumentValidation;
import org.restheart.rest.exchange.RequestCollections;
import org.restheart.rest.guard.ForbiddenOperators;
import org.restheart.rest.guard.HiddenFields;
import org.restheart.rest.management.Catalog;
import org.restheart.rest.management.CollectionHandlers;
import org.restheart.rest.parameter.FindParameters;
import org.restheart.rest.parameter.ParameterWarnings;
import org.restheart.rest.parameter.Parameters;
import org.restheart.rest.parameter.SessionParameter;
import org.restheart.rest.resource.ResourceMethods;
import org.restheart.rest.resource.ResourcePath;
import org.restheart.rest.schema.SchemaAccess;
import org.restheart.rest.schema.Schemas;
import org.restheart.rest.session.OwnTransactions.Attempt;
import org.restheart.rest.session.Sessions;

/// Checks requests, always in the same order, since the first error is reported. Thread-safe.
record RequestChecks(
        Parameters.Settings parameterSettings,
        ForbiddenOperators forbiddenOperators,
        Existence existence,
        Sessions sessions,
        Schemas schemas,
        SchemaAccess access,
        Catalog catalog) {

    /// Checks names, parameters, existence, method, session and content, in this order.
    ///
    /// @throws ProblemException for the first fault
    DataRequest check(Request request) {
        var path = request.require(ResourcePath.KEY);
        ResourceNames.check(path.db(), path.collection());
        var parameters = Parameters.parse(request, path, parameterSettings);
        if (!parameters.find().filter().isEmpty()) {
            warnOfFilter(request, path, parameters.find().filter());
        }
        forbiddenOperators.check(parameters);
        var operation = request.require(DataTarget.KEY).operation();
        var fresh = parameters.noCache() || operation.isOfWhole();
        var resource = existence.require(request, path, fresh);
        var session = SessionParameter.parse(request.query());
        if (!ResourceMethods.allows(path.kind(), request.method())) {
            throw notAllowed(request, path);
        }
        if (session.isPresent()) {
            requirePart(request, path, operation);
        }
        if (operation instanceof Structure) {
            checkStructure(request, path, operation, resource);
        }
        if (path.surplus() && path.kind() != ResourceKind.CHANGE_STREAM) {
            throw nothingBelow(path.kind());
        }
        var shown = parameters.withDefaultMode(mode(request, resource));
        var checked = new DataRequest(
                request,
                path,
                path.kind() == ResourceKind.AGGREGATION ? withVariables(request, shown, path, resource) : shown,
                resource,
                session.filter(_ -> path.kind().holdsDocuments())
                        .flatMap(parameter -> sessions.of(request, parameter, parameters)),
                validation(request, path, resource));
        if (operation.isChange()) {
            UpdateContent.refuseJsonPatch(checked.content());
        }
        forbiddenOperators.checkContent(checked);
        HiddenFields.check(checked, catalog::indexes);
        return checked;
    }

    /// What is carried out at once, although it names a transaction, cannot be a part of one that may be rolled back.
    private static void requirePart(Request request, ResourcePath path, Operation operation) {
        if (request.attribute(Attempt.KEY).isEmpty()) {
            return;
        }
        var kind = path.kind();
        boolean isPart = kind.holdsDocuments()
                && (!DataContent.isMany(request)
                        || request.attribute(RequestCollections.REHEARSAL).isPresent())
                && (operation instanceof Read || (operation instanceof Write && !kind.isFiles() && !kind.isSchemas()));
        if (!isPart) {
            throw new ProblemException(
                    BAD_REQUEST, "only documents are read and written in a transaction, and no streams of them");
        }
    }

    private static void warnOfFilter(Request request, ResourcePath path, BsonDocument filter) {
        FilterMistakes.in("the filter", filter)
                .or(() -> path.kind().isFiles() ? FilterMistakes.ofFiles(filter) : Optional.empty())
                .ifPresent(text -> FoundWarnings.add(request, text));
    }

    private static ProblemException notAllowed(Request request, ResourcePath path) {
        var refusal = Problem.of(METHOD_NOT_ALLOWED, "method " + request.method() + " not allowed");
        return (path.kind() == ResourceKind.CHANGE_STREAM ? refusal.with("Allow", "GET, OPTIONS") : refusal).raise();
    }

    private static void checkStructure(
            Request request, ResourcePath path, Operation operation, ResourceMetadata resource) {
        FindParameters.selectionOnCollection(request, path, operation)
                .ifPresent(mistake -> checkSelectionOnCollection(request, resource, mistake));
        if (SessionParameter.namesTransaction(request.query())) {
            FoundWarnings.add(
                    request, "databases, collections and indexes are written outside of transactions, at once");
        }
    }

    /// The property `jsonMode` of a collection, for its clients; other ways in have a mode of their own.
    private static Optional<JsonMode> mode(Request request, ResourceMetadata resource) {
        return Answer.of(request, Answer.Json.class).isPresent()
                ? Optional.empty()
                : resource.property(CollectionHandlers.JSON_MODE)
                        .filter(BsonValue::isString)
                        .flatMap(name -> JsonMode.of(name.asString().getValue()))
                        .filter(mode -> mode != JsonMode.SHELL);
    }

    /// A client that names the current tag of the whole means the whole.
    private static void checkSelectionOnCollection(Request request, ResourceMetadata resource, String mistake) {
        var tag = resource.properties().flatMap(EntityTags::of);
        if (EntityTagList.of(request.headers(), "If-Match")
                .map(Precondition::withThoseOfLists)
                .filter(tags -> tag.filter(tags.strong()::contains).isPresent())
                .isEmpty()) {
            throw new ProblemException(PARAMETER_INVALID, mistake);
        }
        FoundWarnings.add(request, mistake + "; the whole was meant, as If-Match says");
    }

    /// The parameters with the variables that the query binds by their names.
    private Parameters withVariables(
            Request request, Parameters parameters, ResourcePath path, ResourceMetadata resource) {
        var read = Aggregation.variables(resource.property("aggrs"), path.requireName());
        ParameterWarnings.ofUnknown(request, path.kind(), read, parameterSettings.strict())
                .forEach(text -> FoundWarnings.add(request, text));
        var bound = parameters.withVariables(request.query(), read, parameterSettings);
        forbiddenOperators.check(bound);
        return bound;
    }

    private static ProblemException nothingBelow(ResourceKind kind) {
        var name = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return new ProblemException(NOT_FOUND, "there is nothing below a " + name);
    }

    /// The validation of documents of the path's collection, or of schemas of its store.
    private Optional<DocumentValidation> validation(Request request, ResourcePath path, ResourceMetadata resource) {
        if (path.kind().isSchemas()) {
            return Optional.of(access.ofSchemas(request, path.requireDb()));
        }
        return path.collection() == null ? Optional.empty() : schemas.of(request, path.requireDb(), resource);
    }
}
