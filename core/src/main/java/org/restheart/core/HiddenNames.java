package org.restheart.core;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.restheart.core.routing.Binding;
import org.restheart.http.Filter;
import org.restheart.http.Method;
import org.restheart.mongo.MongoService;
import org.restheart.mongo.resource.ResourcePath;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Warns of databases and collections that cannot be reached at their paths, since services are bound to these.
/// Thread-safe.
record HiddenNames(MongoService data, MongoClient client) {
    private static final Logger LOG = LoggerFactory.getLogger(HiddenNames.class);

    /// Warns of those that exist. Blocks for MongoDB.
    ///
    /// @param bindings of services
    void warn(List<Binding> bindings) {
        try {
            for (var binding : bindings) {
                var names = data.namesAt(binding.uri());
                if (exist(names)) {
                    warn(binding, names);
                }
            }
        } catch (MongoException | IllegalStateException e) { // MongoDB is away, or the server stops
            LOG.debug("whether services hide databases or collections is not known", e);
        }
    }

    private static void warn(Binding binding, List<String> names) {
        LOG.warn(
                "{} belongs to the service {}, so that {} cannot be reached there: another uri of the service helps",
                binding.uri(),
                binding.service().name(),
                (names.size() == 1 ? "the database " : "the collection ") + String.join(".", names));
    }

    /// Warns when a request creates one, which it can through another mount.
    Filter ofCreations(Supplier<List<Binding>> bindings) {
        return (request, next) -> next.handle(request).map(response -> {
            if (request.method() == Method.PUT && response.status() == 201) {
                created(request.require(ResourcePath.KEY), bindings.get());
            }
            return response;
        });
    }

    private void created(ResourcePath path, List<Binding> bindings) {
        var names = switch (path.kind()) {
            case DB -> List.of(path.requireDb());
            case COLLECTION -> List.of(path.requireDb(), path.requireCollection());
            default -> List.<String>of();
        };
        if (!names.isEmpty()) {
            bindings.stream()
                    .filter(binding -> data.namesAt(binding.uri()).equals(names))
                    .forEach(binding -> warn(binding, names));
        }
    }

    private boolean exist(List<String> names) {
        return switch (names.size()) {
            case 1 -> client.listDatabaseNames().into(new ArrayList<>()).contains(names.getFirst());
            case 2 ->
                client.getDatabase(names.getFirst())
                                .listCollectionNames()
                                .filter(Filters.eq("name", names.getLast()))
                                .first()
                        != null;
            default -> false;
        };
    }
}
