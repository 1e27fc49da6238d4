package org.restheart.perftest.experiment;

import static com.mongodb.client.model.Aggregates.group;

import com.mongodb.ReadConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.InsertManyOptions;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.restheart.perftest.deploy.Mongo;
import org.restheart.perftest.experiment.Journal.Audit;
import org.restheart.perftest.workload.Documents;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import picocli.CommandLine.Option;

/// The collections that experiments read and fill, in one database of their own.
final class Dataset implements Closeable {
    private static final int CHUNK = 5_000;
    static final String DATABASE = "perftest";

    private final MongoClient client;
    private Optional<Namespace> fresh = Optional.empty();

    Dataset(Mongo mongo) {
        client = MongoClients.create(mongo.connectionString());
    }

    /// A collection with exactly so many documents of [Documents]; filled unless it is there already.
    Namespace loaded(int documents, int textLength) {
        return loaded("docs", documents, textLength);
    }

    private Namespace loaded(String name, int documents, int textLength) {
        var collection = name + "-" + documents + "-" + textLength;
        return filled(collection, documents, i -> Documents.fields(i, textLength));
    }

    /// A collection with exactly so many documents as YCSB has them.
    Namespace ycsb(int records) {
        return filled("ycsb-" + records, records, Documents::ycsb);
    }

    private Namespace filled(String name, int documents, IntFunction<Document> fields) {
        var namespace = new Namespace(DATABASE, name);
        var collection = client.getDatabase(namespace.database()).getCollection(namespace.collection());
        if (collection.estimatedDocumentCount() != documents) {
            collection.drop();
            for (var from = 0; from < documents; from += CHUNK) {
                collection.insertMany(
                        IntStream.range(from, Math.min(documents, from + CHUNK))
                                .mapToObj(i -> document(i, fields))
                                .toList(),
                        new InsertManyOptions().ordered(false));
                progress(from, documents);
            }
        }
        return namespace;
    }

    Namespace loaded(DocumentOptions documents) {
        return loaded(documents.documents, documents.textBytes);
    }

    /// The same documents in a collection of another name, which may be changed.
    Namespace loaded(String name, DocumentOptions documents) {
        return loaded(name, documents.documents, documents.textBytes);
    }

    /// An empty collection that was not used before. The one handed out before it is dropped.
    Namespace fresh() {
        dropFresh();
        var namespace = new Namespace(DATABASE, "fresh-" + new ObjectId().toHexString());
        client.getDatabase(namespace.database()).createCollection(namespace.collection());
        fresh = Optional.of(namespace);
        return namespace;
    }

    /// Every insert that was acknowledged has to be there, those of the warm-up besides; transfers keep the sum.
    Audit inserted() {
        return (operation, measurement) -> {
            if (operation instanceof Operation.Insert(var namespace, var batch, var _)) {
                var acknowledged = measurement.operations() * batch;
                var found = client.getDatabase(namespace.database())
                        .getCollection(namespace.collection())
                        .countDocuments();
                if (found < acknowledged) {
                    throw new IOException(
                            acknowledged + " documents were acknowledged, but " + namespace.path() + " holds " + found);
                }
            } else if (operation instanceof Operation.Transfer(var namespace, var documents)) {
                var sum = client.getDatabase(namespace.database())
                        .getCollection(namespace.collection())
                        .withReadConcern(ReadConcern.SNAPSHOT) // the last ones may be under way
                        .aggregate(List.of(group(null, Accumulators.sum("n", "$n"))))
                        .first();
                if (sum == null || sum.getLong("n") != documents * (documents - 1L) / 2) {
                    throw new IOException("transfers have changed the sum: " + sum);
                }
            }
        };
    }

    private void dropFresh() {
        fresh.ifPresent(last -> client.getDatabase(last.database())
                .getCollection(last.collection())
                .drop());
        fresh = Optional.empty();
    }

    private static Document document(int i, IntFunction<Document> fields) {
        var document = new Document("_id", Documents.id(i));
        document.putAll(fields.apply(i));
        return document.append("_etag", new ObjectId());
    }

    private static void progress(int from, int documents) {
        if (from > 0 && from % 250_000 == 0) {
            System.out.printf("loading: %,d of %,d documents%n", from, documents);
        }
    }

    @Override
    public void close() {
        dropFresh();
        client.close();
    }

    /// What is read.
    static final class DocumentOptions {
        @Option(names = "--documents", description = "In the collection; default ${DEFAULT-VALUE}.")
        int documents;

        @Option(names = "--text-bytes", description = "Of each document's text; default ${DEFAULT-VALUE}.")
        int textBytes;

        DocumentOptions(int documents, int textBytes) {
            this.documents = documents;
            this.textBytes = textBytes;
        }

        /// For reports.
        String description() {
            return documents + " with a text of " + textBytes + " bytes";
        }
    }
}
