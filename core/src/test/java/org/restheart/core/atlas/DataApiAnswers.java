package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import java.net.http.HttpResponse;
import org.restheart.core.openapi.OpenApiDocuments;

/// Holds answers of the Atlas Data API to a schema of their own.
final class DataApiAnswers {
    private static final Schema SCHEMA = OpenApiDocuments.schema("/org/restheart/core/atlas/answers.schema.json");

    private DataApiAnswers() {}

    /// @return the response
    static HttpResponse<String> checked(String action, HttpResponse<String> response) {
        var type = response.headers().firstValue("Content-Type").orElse("");
        if (type.equals("application/json") || type.equals("application/ejson")) {
            var answer = "{\"action\": \"%s\", \"status\": %d, \"answer\": %s}"
                    .formatted(action, response.statusCode(), response.body());
            assertThat(SCHEMA.validate(answer, InputFormat.JSON)).as(answer).isEmpty();
        }
        return response;
    }
}
