package org.restheart.core.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.Secrets;
import org.restheart.core.tracing.Collector.Signal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts what is exported to a collector, and logs when that begins to fail and when it works again. Thread-safe.
public final class ExportReport {
    private static final Logger LOG = LoggerFactory.getLogger(ExportReport.class);

    /// It reports every failed export; this class reports the first. Kept here since the JDK's own registry of loggers
    /// forgets the level of one that is not referenced.
    private static final java.util.logging.Logger SDK = java.util.logging.Logger.getLogger("io.opentelemetry");

    static {
        SDK.setLevel(Level.OFF);
    }

    private final Signal signal;
    private final String url;
    private final LongAdder sent = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final AtomicBoolean failing = new AtomicBoolean();

    /// @param url of the collector; passwords in it are not logged
    public ExportReport(Signal signal, String url) {
        this.signal = signal;
        this.url = Secrets.inUri(url);
    }

    public double sent() {
        return sent.sum();
    }

    public double lost() {
        return lost.sum();
    }

    /// Notes the end of an export.
    ///
    /// @param count of what is exported
    /// @return the same export
    public CompletableResultCode watched(CompletableResultCode export, int count) {
        return export.whenComplete(() -> {
            if (export.isSuccess()) {
                sent.add(count);
                if (failing.compareAndSet(true, false)) {
                    LOG.info("{} are exported to {} again", signal.label(), url);
                }
            } else {
                lost.add(count);
                if (failing.compareAndSet(false, true)) {
                    LOG.warn(
                            "{} cannot be exported to {}: {}; until that changes they are dropped, requests are not"
                                    + " affected",
                            signal.label(),
                            url,
                            reason(export.getFailureThrowable()));
                }
            }
        });
    }

    private static String reason(@Nullable Throwable failure) {
        return failure == null || failure.getMessage() == null ? "it refuses them" : failure.getMessage();
    }
}
