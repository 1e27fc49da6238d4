package org.restheart.graphql;

import graphql.schema.DataFetchingEnvironment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.dataloader.BatchLoader;
import org.dataloader.DataLoader;
import org.dataloader.DataLoaderFactory;
import org.dataloader.DataLoaderOptions;
import org.dataloader.DataLoaderRegistry;
import org.dataloader.Try;
import org.dataloader.stats.SimpleStatisticsCollector;
import org.dataloader.stats.Statistics;
import org.restheart.graphql.app.FieldMapping.Loading;
import org.restheart.http.Lease;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.reading.ReadPipeline;
import org.restheart.mongo.reading.ReadQuery;

/// Loads the fields of one level together. Confined to the request's thread, which waits in its [RequestLoop].
final class LevelLoads {
    private final RequestLoop loop = new RequestLoop();
    private final DataLoaderRegistry loaders = new DataLoaderRegistry();
    private final Set<String> declaredLoaders = new HashSet<>();
    private final Reading<ReadQuery> finds;
    private final Reading<ReadPipeline> pipelines;

    /// How queries of one kind are read.
    ///
    /// @param key equal for queries with the same result
    private record Reading<Q>(
            Function<Q, Object> key,
            Function<Q, CompletionStage<List<RawBsonDocument>>> alone,
            Function<List<Q>, List<CompletionStage<List<RawBsonDocument>>>> together) {}

    /// @param lease owns what is read
    LevelLoads(DocumentReads reads, Lease lease) {
        this.finds = new Reading<>(
                ReadQuery::key, query -> reads.find(query, lease), queries -> reads.findAll(queries, lease));
        this.pipelines = new Reading<>(
                ReadPipeline::key,
                query -> reads.aggregate(query, lease),
                queries -> reads.aggregateAll(queries, lease));
    }

    RequestLoop loop() {
        return loop;
    }

    DataLoaderRegistry registry() {
        return loaders;
    }

    /// Statistics of fields whose definitions configure loading.
    Map<String, Number> statistics() {
        var all = new Statistics();
        for (var name : declaredLoaders) {
            all = all.combine(
                    Objects.requireNonNull(loaders.getDataLoader(name)).getStatistics());
        }
        return all.toMap();
    }

    /// @param field `Type.field`
    CompletionStage<List<RawBsonDocument>> find(
            String field, Loading loading, ReadQuery query, DataFetchingEnvironment environment) {
        return load(field, loading, query, finds, environment);
    }

    /// @param field `Type.field`
    CompletionStage<List<RawBsonDocument>> aggregate(
            String field, Loading loading, ReadPipeline query, DataFetchingEnvironment environment) {
        return load(field, loading, query, pipelines, environment);
    }

    private <Q> CompletionStage<List<RawBsonDocument>> load(
            String field, Loading loading, Q query, Reading<Q> reading, DataFetchingEnvironment environment) {
        if (!loading.batching()) {
            return reading.alone.apply(query).thenApplyAsync(Function.identity(), loop);
        }
        loaders.computeIfAbsent(field, _ -> {
            if (loading.declared()) {
                declaredLoaders.add(field);
            }
            return DataLoaderFactory.newDataLoaderWithTry(
                    field,
                    (BatchLoader<Q, Try<List<RawBsonDocument>>>) queries -> all(reading.together.apply(queries)),
                    DataLoaderOptions.newOptions()
                            .setMaxBatchSize(loading.maxBatch())
                            .setCachingEnabled(loading.caching())
                            .setCacheKeyFunction((Q asked) -> reading.key.apply(asked))
                            .setStatisticsCollector(SimpleStatisticsCollector::new)
                            .build());
        });
        DataLoader<Q, List<RawBsonDocument>> loader = Objects.requireNonNull(environment.getDataLoader(field));
        return loader.load(query);
    }

    /// All results once the last one is complete, on the request's thread.
    private CompletionStage<List<Try<List<RawBsonDocument>>>> all(
            List<CompletionStage<List<RawBsonDocument>>> answers) {
        var waiting = new ArrayList<CompletableFuture<Try<List<RawBsonDocument>>>>(answers.size());
        for (var answer : answers) {
            waiting.add(answer.handle((found, failure) ->
                            failure == null ? Try.succeeded(found) : Try.<List<RawBsonDocument>>failed(failure))
                    .toCompletableFuture());
        }
        return CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        _ -> waiting.stream().map(CompletableFuture::join).toList(), loop);
    }

    /// Runs all tasks of one request sequentially on its own thread, whichever thread completes what they wait for.
    static final class RequestLoop implements Executor {
        private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        /// Runs tasks until `outcome` is complete.
        ///
        /// @param deadline in [System#nanoTime()]; 0 for none
        /// @param waits called before each wait for a task
        /// @throws TimeoutException when it is not complete by then
        <T> T await(CompletableFuture<T> outcome, long deadline, Runnable waits)
                throws TimeoutException, InterruptedException {
            var _ = outcome.whenComplete((_, _) -> execute(() -> {}));
            while (!outcome.isDone()) {
                if (tasks.isEmpty()) {
                    waits.run();
                }
                if (deadline == 0) {
                    tasks.take().run();
                    continue;
                }
                var task = tasks.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (task == null || System.nanoTime() - deadline > 0) {
                    throw new TimeoutException();
                }
                task.run();
            }
            return outcome.join();
        }
    }
}
