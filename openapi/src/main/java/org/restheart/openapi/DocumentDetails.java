package org.restheart.openapi;

import com.mongodb.MongoNamespace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.bson.BsonDocument;
import org.restheart.bson.fields.Visibility;
import org.restheart.data.Access;
import org.restheart.http.Method;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequest.DataFacts;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Via;
import org.restheart.mongo.description.Descriptions;
import org.restheart.mongo.description.Descriptions.CollectionStructure;
import org.restheart.mongo.description.Shape;
import org.restheart.mongo.description.Shapes;
import org.restheart.openapi.AccessEvaluation.Options;
import org.restheart.openapi.VisibleResources.Group;

/// Determines what a caller may know of the documents of visible collections: their shape by samples, indexes, and
/// JSON Schemas. Thread-safe.
record DocumentDetails(OpenApiConfig config, Descriptions descriptions, Shapes shapes, JudgedRequests judged) {
    /// Adds the details of all collections. Waits for running samples, for the configured time in total.
    ///
    /// @throws ProblemException 5xx if the caller's rights cannot be determined now
    VisibleResources complete(Request asking, Options options, List<Group> groups) {
        var sampled = new LinkedHashMap<Group, CompletableFuture<Shape>>();
        var rights = new LinkedHashMap<Group, Access>();
        for (var group : groups) {
            rights(asking, options, group).ifPresent(found -> {
                rights.put(group, found);
                sampled.put(group, shapes.of(namespace(group), found, options.fresh()));
            });
        }
        long deadline = System.nanoTime() + config.sampleWait().toNanos();
        boolean pending = false;
        var complete = new ArrayList<Group>();
        var schemas = new ReadableSchemas(descriptions, (db, id) -> options.unruled() || mayReadSchema(asking, db, id));
        for (var group : groups) {
            var shape = Shape.UNKNOWN;
            var coming = sampled.get(group);
            if (coming != null) {
                var come = await(coming, deadline);
                pending |= come.isEmpty();
                shape = come.orElse(Shape.UNKNOWN);
            }
            complete.add(detailed(group, shape, Optional.ofNullable(rights.get(group)), schemas));
        }
        return new VisibleResources(complete, false, pending);
    }

    private static Optional<Shape> await(CompletableFuture<Shape> coming, long deadline) {
        try {
            return Optional.of(coming.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
        } catch (TimeoutException _) {
            return Optional.empty();
        } catch (ExecutionException _) {
            return Optional.of(Shape.UNKNOWN);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static MongoNamespace namespace(Group group) {
        return new MongoNamespace(
                group.db().orElseThrow(), group.collection().orElseThrow().name());
    }

    /// The read grant of a request of the caller for the documents; empty if it would be refused.
    private Optional<Access> rights(Request asking, Options options, Group group) {
        var kind = group.collection().map(CollectionStructure::kind).orElse(ResourceKind.ROOT);
        if (kind != ResourceKind.COLLECTION && kind != ResourceKind.FILES_BUCKET) {
            return Optional.empty();
        }
        if (options.unruled()) {
            return Optional.of(new Access.Root());
        }
        if (group.offered().stream()
                .noneMatch(offered -> offered.operation().kind() == kind
                        && offered.operation().method() == Method.GET)) {
            return Optional.empty();
        }
        return judgedRights(asking, group.path());
    }

    private Optional<Access> judgedRights(Request asking, RequestPath path) {
        return JudgedRequests.unlessRefused(
                () -> judged.facts(asking, JudgedRequest.of(Method.GET, path, Query.NONE, Via.REST))
                        .map(DataFacts::grant));
    }

    private Group detailed(Group group, Shape shape, Optional<Access> rights, ReadableSchemas schemas) {
        if (group.collection().isEmpty()) {
            return group;
        }
        boolean showsNames = group.offered().stream()
                .anyMatch(offered -> offered.operation().kind() == ResourceKind.COLLECTION_INDEXES);
        List<BsonDocument> indexes = List.of();
        if (rights.isPresent() || showsNames) {
            var visibility = rights.flatMap(Access::projectResponse).map(Visibility::of);
            indexes = descriptions.indexes(namespace(group)).stream()
                    .filter(index -> index.get("key") instanceof BsonDocument keys
                            && visibility
                                    .map(shown -> shown.allowsKeys(keys)
                                            // the fields of a text index are not among its keys
                                            && shown.allowsKeys(index.getDocument("weights", new BsonDocument())))
                                    .orElse(true))
                    .toList();
        }
        return new Group(
                group.path(),
                group.db(),
                group.collection(),
                group.offered(),
                shape,
                indexes,
                schemas.of(group.db().orElseThrow(), group.collection().get()),
                showsNames);
    }

    private boolean mayReadSchema(Request asking, String db, String id) {
        return descriptions
                .pathOf(asking.connection(), ResourceKind.SCHEMA, db, "_schemas", id)
                .flatMap(path -> judgedRights(asking, path))
                .filter(rights -> rights.readFilter().isEmpty())
                .isPresent();
    }
}
