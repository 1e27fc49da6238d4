package org.restheart.graphql;

import graphql.schema.DataFetchingEnvironment;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.bson.RawBsonDocument;
import org.restheart.graphql.app.FieldMapping.Loading;
import org.restheart.mongo.reading.ReadPipeline;
import org.restheart.mongo.reading.ReadQuery;

/// Loads the documents of fields during one execution. Results arrive on the thread of the execution.
interface FieldLoads {
    /// @param field `Type.field`
    CompletionStage<List<RawBsonDocument>> find(
            String field, Loading loading, ReadQuery query, DataFetchingEnvironment environment);

    /// @param field `Type.field`
    CompletionStage<List<RawBsonDocument>> aggregate(
            String field, Loading loading, ReadPipeline query, DataFetchingEnvironment environment);
}
