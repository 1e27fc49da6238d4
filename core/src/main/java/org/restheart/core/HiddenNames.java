package org.restheart.core;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.restheart.core.routing.Binding;
import org.restheart.data.Operation.Structure;
import org.restheart.http.Filter;
import org.restheart.http.access.DataTarget;
import org.restheart.mongo.MongoService;
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
        return (request, next) -> {
            var creation = request.attribute(DataTarget.KEY).filter(target -> target.operation() == Structure.CREATE);
            var response = next.handle(request);
            return creation.isEmpty()
                    ? response
                    : response.map(ready -> {
                        if (ready.status() == 201) {
                            created(creation.get(), bindings.get());
                        }
                        return ready;
                    });
        };
    }

    private void created(DataTarget target, List<Binding> bindings) {
        var names = Stream.concat(target.db().stream(), target.collection().stream())
                .toList();
        bindings.stream()
                .filter(binding -> data.namesAt(binding.uri()).equals(names))
                .forEach(binding -> warn(binding, names));
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
