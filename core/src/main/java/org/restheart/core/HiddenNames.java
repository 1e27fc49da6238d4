package org.restheart.core;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import java.util.ArrayList;
import java.util.List;
import org.restheart.core.routing.Binding;
import org.restheart.mongo.MongoService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Warns of databases and collections that cannot be reached at their paths, since services are bound to these. Used
/// once, after the start; blocks for MongoDB.
record HiddenNames(MongoService data, MongoClient client) {
    private static final Logger LOG = LoggerFactory.getLogger(HiddenNames.class);

    /// @param bindings of services
    void warn(List<Binding> bindings) {
        try {
            for (var binding : bindings) {
                var names = data.namesAt(binding.uri());
                if (exist(names)) {
                    LOG.warn(
                            "{} belongs to the service {}, so that {} cannot be reached there: another uri of the service"
                                    + " helps",
                            binding.uri(),
                            binding.service().name(),
                            (names.size() == 1 ? "the database " : "the collection ") + String.join(".", names));
                }
            }
        } catch (MongoException | IllegalStateException e) { // MongoDB is away, or the server stops
            LOG.debug("whether services hide databases or collections is not known", e);
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
