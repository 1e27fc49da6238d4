package org.restheart.mongo.metadata;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoDatabase;
import java.util.HashSet;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Finds the collections that a view reads: the one it is defined on, and those of its stages, also by way of other
/// views.
record ViewSources(MongoDatabase database) {

    /// @param info as `listCollections` describes a collection or a view
    Set<MongoNamespace> of(BsonDocument info) {
        var found = new HashSet<MongoNamespace>();
        if (isView(info)) {
            addAll(info, found);
        }
        return Set.copyOf(found);
    }

    private static boolean isView(BsonDocument info) {
        return info.getString("type", new BsonString("")).getValue().equals("view");
    }

    private void addAll(BsonDocument view, Set<MongoNamespace> found) {
        var options = view.getDocument("options", new BsonDocument());
        add(member(options, "viewOn"), found);
        addSources(options.getArray("pipeline", new BsonArray()), found);
    }

    private void add(BsonValue name, Set<MongoNamespace> found) {
        if (name instanceof BsonString text
                && !text.getValue().isEmpty()
                && found.add(new MongoNamespace(database.getName(), text.getValue()))) {
            StoredMetadata.info(database, text.getValue())
                    .filter(ViewSources::isView)
                    .ifPresent(source -> addAll(source, found));
        }
    }

    private void addSources(BsonValue value, Set<MongoNamespace> found) {
        if (value instanceof BsonDocument document) {
            document.forEach((name, operand) -> {
                switch (name) {
                    case "$lookup", "$graphLookup" -> add(member(operand, "from"), found);
                    case "$unionWith" -> add(operand.isString() ? operand : member(operand, "coll"), found);
                    default -> {}
                }
                addSources(operand, found);
            });
        } else if (value instanceof BsonArray array) {
            array.forEach(element -> addSources(element, found));
        }
    }

    private static BsonValue member(BsonValue document, String name) {
        return document.isDocument() ? document.asDocument().getOrDefault(name, BsonNull.VALUE) : BsonNull.VALUE;
    }
}
