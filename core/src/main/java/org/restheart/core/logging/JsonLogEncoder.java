package org.restheart.core.logging;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/// One JSON object per event and line: `time`, `level`, `logger`, `thread`, `message`, what the event has as key and
/// value pairs, the MDC, and `exception`. Thread-safe.
final class JsonLogEncoder extends EncoderBase<ILoggingEvent> {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final byte[] NOTHING = {};

    private final ThrowableProxyConverter traces = new ThrowableProxyConverter();

    /// @param depth of stack traces, as the pattern `%ex` takes it
    JsonLogEncoder(String depth) {
        traces.setOptionList(List.of(depth));
    }

    @Override
    public void start() {
        traces.setContext(getContext());
        traces.start();
        super.start();
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        var line = new LinkedHashMap<String, Object>();
        line.put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString());
        line.put("level", event.getLevel().toString());
        line.put("logger", event.getLoggerName());
        line.put("thread", event.getThreadName());
        line.put("message", String.valueOf(event.getFormattedMessage()));
        event.getMDCPropertyMap().forEach(line::putIfAbsent);
        if (event.getKeyValuePairs() != null) {
            event.getKeyValuePairs().forEach(pair -> line.putIfAbsent(pair.key, pair.value));
        }
        if (event.getThrowableProxy() != null) {
            line.put("exception", traces.convert(event));
        }
        return (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }
}
