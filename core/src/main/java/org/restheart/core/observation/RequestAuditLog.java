package org.restheart.core.observation;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.restheart.core.config.LoggingConfig.Audit;
import org.restheart.core.logging.LogSetup;
import org.restheart.http.judged.DataWrite;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/// The audit log: account, operation and outcome of each request as one line of JSON. It contains no documents and
/// no queries, whose filters contain values of documents. Lines that come faster than they can be written are
/// dropped and counted. Thread-safe; close it to write the last lines.
public final class RequestAuditLog implements Observer, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogSetup.AUDIT);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /// Methods that change nothing.
    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

    private final LogQueue queue = new LogQueue(LOG, "audit-log");
    private final boolean reads;

    /// @param which not [Audit#NOTHING]
    public RequestAuditLog(Audit which) {
        this.reads = which == Audit.ALL;
    }

    @Override
    public void completed(Observation observation) {
        boolean refused = observation.status() == 401 || observation.status() == 403;
        if (reads || refused || !READS.contains(observation.method()) || hasWritten(observation)) {
            var line = new LinkedHashMap<String, Object>();
            line.put("time", Instant.now().toString());
            line.put("event", "request");
            line.putAll(RequestLog.fieldsWithoutQuery(observation));
            queue.add(new LogQueue.Line("", JSON.writeValueAsString(line), Map.of(), Map.of()));
        }
    }

    /// A `GET` of an aggregation that ends in `$out` or `$merge` does.
    private static boolean hasWritten(Observation observation) {
        return observation
                .request()
                .attribute(DataWrite.NOTED)
                .map(AtomicBoolean::get)
                .orElse(false);
    }

    /// Returns when everything is written.
    @Override
    public void close() {
        queue.close();
    }
}
