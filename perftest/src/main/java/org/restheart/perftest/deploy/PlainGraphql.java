package org.restheart.perftest.deploy;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import graphql.ExecutionInput;
import graphql.GraphQL;
import graphql.schema.DataFetcher;
import graphql.schema.DataFetchingEnvironment;
import graphql.schema.idl.RuntimeWiring;
import graphql.schema.idl.SchemaGenerator;
import graphql.schema.idl.SchemaParser;
import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.Executors;
import org.bson.Document;
import org.bson.types.ObjectId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/// `plain-graphql`: graphql-java as its documentation shows it, with a query of the driver for each field: nothing is
/// batched or kept. On virtual threads, without authentication. Prints its port, ends when its standard input does.
@Command(
        name = "plain-graphql",
        hidden = true,
        description = "A plain server of graphql-java and the driver.",
        mixinStandardHelpOptions = true)
public final class PlainGraphql implements Runnable {
    private static final JsonMapper JSON = new JsonMapper();

    @Option(names = "--mongo", required = true, description = "Connection string.")
    String mongo = "";

    @Option(names = "--documents", required = true, description = "Of the collection that is read by id.")
    int documents;

    @Override
    public void run() {
        try (var client = MongoClients.create(mongo);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var graphql = graphql(client.getDatabase(GraphqlApp.DATABASE));
            var server = Undertow.builder()
                    .addHttpListener(0, "127.0.0.1")
                    .setHandler(exchange -> exchange.getRequestReceiver()
                            .receiveFullBytes(
                                    (sent, body) -> sent.dispatch(threads, () -> answer(graphql, sent, body))))
                    .build();
            server.start();
            var address =
                    (InetSocketAddress) server.getListenerInfo().getFirst().getAddress();
            System.out.println(address.getPort());
            Child.awaitEndOfInput();
            server.stop();
        }
    }

    private GraphQL graphql(MongoDatabase database) {
        var read = database.getCollection(GraphqlApp.read(documents));
        var authors = database.getCollection(GraphqlApp.AUTHORS);
        var books = database.getCollection(GraphqlApp.BOOKS);
        DataFetcher<Object> id =
                environment -> parent(environment).getObjectId("_id").toHexString();
        var wiring = RuntimeWiring.newRuntimeWiring()
                .type(
                        "Query",
                        type -> type.dataFetcher(
                                        "one",
                                        environment -> read.find(
                                                        eq(new ObjectId((String) environment.getArgument("id"))))
                                                .first())
                                .dataFetcher(
                                        "authors",
                                        _ -> authors.find()
                                                .limit(GraphqlApp.LISTED)
                                                .into(new ArrayList<>())))
                .type("Document", type -> type.dataFetcher("id", id))
                .type(
                        "Author",
                        type -> type.dataFetcher(
                                "books",
                                environment -> books.find(
                                                eq("author", parent(environment).get("_id")))
                                        .into(new ArrayList<>())))
                .type(
                        "Book",
                        type -> type.dataFetcher(
                                "writer",
                                environment -> authors.find(
                                                eq(parent(environment).get("author")))
                                        .first()))
                .build();
        var types = new SchemaParser().parse(GraphqlApp.schema("ID"));
        return GraphQL.newGraphQL(new SchemaGenerator().makeExecutableSchema(types, wiring))
                .build();
    }

    private static Document parent(DataFetchingEnvironment environment) {
        return Objects.requireNonNull((Document) environment.getSource());
    }

    private static void answer(GraphQL graphql, HttpServerExchange exchange, byte[] body) {
        var request = JSON.readTree(body);
        var input = ExecutionInput.newExecutionInput(request.path("query").asString());
        var variables = request.path("variables");
        if (variables.has("id")) {
            input.variables(java.util.Map.of("id", variables.path("id").asString()));
        }
        var answer = JSON.writeValueAsBytes(graphql.execute(input.build()).toSpecification());
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
        exchange.getResponseSender().send(ByteBuffer.wrap(answer));
    }
}
